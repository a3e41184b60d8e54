// Keys and small comforts. Everything works without this file: links, forms, details.
"use strict";
const one = (what, within = document) => within.querySelector(what);
const all = (what, within = document) => [...within.querySelectorAll(what)];
const slider = one(".nights input");
const help = one("#help");
const single = one("#single");
let here = null;

function items() {
  return all("[data-item]").filter((item) => single?.checked || item.checkVisibility());
}

function show(item, behavior) {
  here?.classList.remove("now");
  here = item;
  here.classList.add("now");
  here.focus({ preventScroll: true });
  here.scrollIntoView({ block: "center", behavior });
  const list = items();
  one(".where").textContent = `${list.indexOf(here) + 1} of ${list.length}`;
}

function move(step) {
  const list = items();
  if (!list.length) return;
  let next = list.indexOf(here) + step;
  if (!list.includes(here)) next = Math.max(0, list.findIndex((item) => item.getBoundingClientRect().top > 60));
  const calm = matchMedia("(prefers-reduced-motion)").matches;
  show(list[Math.min(list.length - 1, Math.max(0, next))], calm ? "auto" : "smooth");
}

// Presses the button of the line that is here; without one, that of what was just said.
function press(what) {
  const button = (here && one(what, here)) ?? (what === "[data-undo]" ? one(".told button[value^=take-back]") : null);
  button?.click();
}

function night(step) {
  if (!slider || slider.disabled) return;
  slider.value = Number(slider.value) + step;
  tell();
  if (step) slider.form.requestSubmit();
}

function tell() {
  const title = all("title", slider.form)[slider.value].textContent;
  one("output", slider.form).textContent = title;
  slider.setAttribute("aria-valuetext", title);
}

const keys = {
  j: () => move(1), k: () => move(-1), h: () => night(-1), l: () => night(1),
  u: () => press("[data-undo]"), y: () => press("[value^='yes ']"), n: () => press("[value^='no ']"),
  c: () => one("#only")?.click(), a: () => one("#archive").toggleAttribute("open"), "?": () => help.showModal(),
  "/": () => one("#q").select(), Enter: () => one(".place a", here)?.click(),
  Escape: () => one("#archive").removeAttribute("open"),
};
for (const [i, link] of all(".top nav a").entries()) keys[i + 1] = () => link.click();

const wanted = one("#keys");
wanted.checked = localStorage.getItem("keys") !== "off";
wanted.addEventListener("change", () => localStorage.setItem("keys", wanted.checked ? "on" : "off"));

addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=range], [type=checkbox]), textarea");
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || help.open || event.ctrlKey || event.metaKey || event.altKey || !wanted.checked) return;
  if (event.key === "Enter" && !(event.target === here && here.matches(".hits li"))) return;
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});
addEventListener("focusin", (event) => { here = event.target.closest("[data-item]") ?? here; });
addEventListener("click", (event) => {
  const button = event.target.closest("[data-key], [data-copy]");
  if (button?.dataset.key) keys[button.dataset.key]();
  if (!button?.dataset.copy) return;
  navigator.clipboard?.writeText(button.dataset.copy);
  button.textContent = "Copied";
});
single?.addEventListener("change", () => { if (!one(".now")) move(1); });
slider?.addEventListener("input", tell);
if (new URLSearchParams(location.search).has("night")) slider?.focus({ preventScroll: true });
slider?.addEventListener("change", () => slider.form.requestSubmit());

// After an act the page comes back to the line; so do the keys.
const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
if (target) {
  if (target.matches("[data-item]")) show(target, "auto");
  else target.scrollIntoView({ block: "center" });
}
one(".where").textContent ||= items().length ? `${items().length} to look at` : "";

// A night that runs: the page says how far it is, and comes anew when it ends, unless somebody is typing.
const running = one("[data-live] span");
async function watch() {
  const now = await (await fetch("/live")).json();
  const typed = all("input:not([type=checkbox], [type=range]), textarea").some((field) => field.value !== field.defaultValue);
  if (now.running) running.textContent = now.step;
  else if (typed) running.textContent = "it has ended";
  else return location.reload();
  if (now.running) setTimeout(watch, 700);
}
if (running) watch();
