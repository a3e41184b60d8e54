// What the page can do beyond plain forms: keys, ticking all items, and following a dream that runs. Reading needs none of it.
"use strict";

document.documentElement.classList.add("scripted");

// On a narrow screen the other rooms lie over the page: they open when they are asked for.
if (matchMedia("(max-width: 52rem)").matches) document.querySelector("nav .more")?.removeAttribute("open");

const typing = (target) => target.closest("input[type=text], input[type=search], input[type=password], textarea, select");

function step(by) {
  const items = [...document.querySelectorAll(".list > [tabindex='-1']")];
  if (!items.length) return;
  const here = items.indexOf(document.activeElement.closest(".list > [tabindex='-1']"));
  const next = items[Math.max(0, Math.min(items.length - 1, here < 0 ? 0 : here + by))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function tickHere() {
  const item = document.activeElement.closest(".list > [tabindex='-1']");
  const box = item && item.querySelector("input[type=checkbox]");
  if (box) box.checked = !box.checked;
  else if (item instanceof HTMLDetailsElement) item.open = !item.open;
  else if (item && item.querySelector("details")) item.querySelector("details").open ^= true;
  item?.scrollIntoView({ block: "nearest" });
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  x: tickHere,
  n: () => document.querySelector("a[rel=next]")?.click(),
  p: () => document.querySelector("a[rel=prev]")?.click(),
  "/": () => {
    const box = document.getElementById("q") || document.getElementById("ask");
    if (box) box.focus();
    else location.assign("/search");
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const room = /^[0-9]$/.test(event.key) && document.querySelector(`nav a[data-key="${event.key}"]`);
  const act = room ? () => location.assign(room.href) : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

for (const button of document.querySelectorAll("[data-tick]")) {
  button.addEventListener("click", () => {
    for (const box of button.form.querySelectorAll("input[name=item]")) box.checked = button.dataset.tick === "all";
  });
}

function showStep(now) {
  const steps = [...document.querySelectorAll(".live [data-step]")];
  const here = steps.findIndex((step) => step.dataset.step === now.step);
  if (here >= 0) steps.forEach((step, n) => { step.className = n < here ? "done" : n === here ? "now" : ""; });
  const read = document.getElementById("read");
  if (read) read.textContent = now.read.toLocaleString();
  if (read) read.parentElement.hidden = !now.read;
}

// What somebody is writing is not thrown away by a page that loads itself again.
const isWriting = () => [...document.querySelectorAll("input[type=text], textarea")].some((box) => box.value !== box.defaultValue);

// A page that lies open looks now and then whether somebody dreams here, and then shows it.
const PAUSE = 10_000;
function look() {
  if (document.hidden || isWriting()) return;
  const told = new EventSource("/live");
  told.addEventListener("message", (event) => {
    told.close();
    if (JSON.parse(event.data).running) location.reload();
  });
  told.addEventListener("error", () => told.close());
}

const live = document.body.dataset.live;
if (!live) setInterval(look, PAUSE);
else {
  const told = new EventSource(live);
  told.addEventListener("message", (event) => {
    const now = JSON.parse(event.data);
    showStep(now);
    if (now.running) return;
    told.close();
    const over = document.getElementById("over");
    if (over && isWriting()) over.hidden = false;
    else location.reload();
  });
  addEventListener("pagehide", () => told.close());
}
