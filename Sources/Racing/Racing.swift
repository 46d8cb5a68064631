// Racing
