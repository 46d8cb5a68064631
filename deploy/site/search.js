// Finds the sections that have all words of ?q=; settledIndex has link, title, heading and text of each.
"use strict";
const field = document.querySelector("input[name=q]");

function score(words, [, title, heading, text]) {
  const [inTitle, inHeading, inText] = [title, heading, text].map((each) => each.toLowerCase());
  let sum = 0;
  for (const word of words) {
    const times = inText.split(word).length - 1;
    const found = Math.min(times, 5) + (inTitle.includes(word) ? 6 : 0) + (inHeading.includes(word) ? 8 : 0);
    if (!found) return 0;
    sum += found;
  }
  return sum;
}

// The text around the first word, with all words marked.
function excerpt(words, text) {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const from = text.lastIndexOf(" ", Math.min(...places, text.length) - 60) + 1;
  const to = text.indexOf(" ", from + 220);
  const paragraph = document.createElement("p");
  const shown = (from ? "… " : "") + (to < 0 ? text.slice(from) : text.slice(from, to) + " …");
  const pattern = new RegExp("(" + words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).join("|") + ")", "i");
  shown.split(pattern).forEach((part, number) => {
    const element = number % 2 ? document.createElement("mark") : document.createTextNode("");
    element.textContent = part;
    paragraph.append(element);
  });
  return paragraph;
}

function item(words, [link, title, heading, text]) {
  const anchor = document.createElement("a");
  anchor.href = link;
  anchor.textContent = heading ? title + ": " + heading : title;
  const entry = document.createElement("li");
  entry.append(anchor, excerpt(words, text));
  return entry;
}

function find() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? settledIndex.map((each) => [score(words, each), each]).filter(([sum]) => sum) : [];
  found.sort(([one], [other]) => other - one);
  const said = words.length ? found.length + (found.length === 1 ? " section" : " sections") : "";
  document.getElementById("found").textContent = said + (found.length > 50 ? ", the best 50 of them here" : "");
  document.getElementById("results").replaceChildren(...found.slice(0, 50).map(([, each]) => item(words, each)));
}

field.value = new URLSearchParams(location.search).get("q") || "";
field.addEventListener("input", find);
find();
