// Finds the sections that have all words of ?q=; settledIndex has link, title, heading, text and keywords of each.
"use strict";
const field = document.querySelector("input[name=q]");

// Where a word begins: hyphens do not matter, so "failover" also finds "fail-over".
function pattern(word) {
  return "(?<![a-z0-9])" + [...word].map((each) => each.replace(/\W/, "\\$&")).join("-?");
}

function count(word, text) {
  return (text.match(new RegExp(pattern(word), "gi")) || []).length;
}

function score(words, [, title, heading, text, keywords]) {
  let sum = 0;
  for (const word of words) {
    const found = Math.min(count(word, text), 5) + (count(word, title) ? 6 : 0) + (count(word, heading) ? 8 : 0)
      + (count(word, keywords) ? 12 : 0);
    if (!found) return 0;
    sum += found;
  }
  return sum;
}

// The text around the first word, with all words marked.
function excerpt(words, text) {
  const all = new RegExp("(" + words.map(pattern).join("|") + ")", "i");
  const from = text.lastIndexOf(" ", text.search(all) - 60) + 1;
  const to = text.indexOf(" ", from + 220);
  const paragraph = document.createElement("p");
  const shown = (from ? "… " : "") + (to < 0 ? text.slice(from) : text.slice(from, to) + " …");
  shown.split(all).forEach((part, number) => {
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
  const words = field.value.toLowerCase().replace(/-/g, "").split(/\s+/).filter(Boolean);
  const found = words.length ? settledIndex.map((each) => [score(words, each), each]).filter(([sum]) => sum) : [];
  found.sort(([one], [other]) => other - one);
  const said = words.length ? found.length + (found.length === 1 ? " section" : " sections") : "";
  document.getElementById("found").textContent = said + (found.length > 50 ? ", the best 50 of them here" : "");
  document.getElementById("results").replaceChildren(...found.slice(0, 50).map(([, each]) => item(words, each)));
}

field.value = new URLSearchParams(location.search).get("q") || "";
field.addEventListener("input", find);
find();
