"use strict";
(() => {
  const form = document.getElementById("filters");
  const keys = document.getElementById("keys");
  const cards = [...document.querySelectorAll("article")];
  if (!form) return;
  const search = form.querySelector("#q");
  const boxes = [...form.querySelectorAll("[type=checkbox]")];
  const used = keys.querySelector("#use-keys");
  const reviewer = form.querySelector("#r");
  const state = form.querySelector("#s");
  const texts = new Map();
  let timer = 0;

  const text = (card) => {
    let known = texts.get(card);
    if (known === undefined) texts.set(card, (known = card.textContent.toLowerCase()));
    return known;
  };

  const apply = () => {
    const priorities = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      const path = card.parentElement.firstElementChild.textContent.toLowerCase();
      card.hidden = !(
        priorities.has(card.dataset.p) &&
        (!state.value || card.dataset.s === state.value) &&
        (!reviewer.value || card.dataset.r.split(" ").includes(reviewer.value)) &&
        words.every((word) => text(card).includes(word) || path.includes(word))
      );
      shown += !card.hidden;
    }
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = !group.querySelector("article:not([hidden])");
    }
    form.querySelector("#shown").textContent = `${shown} of ${cards.length} findings`;
  };

  const reset = () => {
    form.reset();
    apply();
  };

  const target = () => document.getElementById(location.hash.slice(1));

  // A link to a finding leads to it whatever the filters say.
  const follow = () => {
    const card = target();
    if (card && card.hidden) reset();
    if (card && card.matches("article")) {
      card.focus({ preventScroll: true });
      card.scrollIntoView({ block: "start" });
    }
  };

  const move = (step) => {
    const visible = cards.filter((card) => !card.hidden);
    const here = document.activeElement.closest("article") || target();
    const at = visible.indexOf(here);
    const next = visible[at < 0 ? (step > 0 ? 0 : visible.length - 1) : at + step];
    if (!next) return;
    history.replaceState(null, "", `#${next.id}`);
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  };

  const press = {
    j: () => move(1),
    k: () => move(-1),
    "/": () => search.focus(),
    "?": () => keys.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || keys.open) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (!used.checked || !Object.hasOwn(press, event.key)) return;
    event.preventDefault();
    press[event.key]();
  });
  form.querySelector("#show-keys").addEventListener("click", () => keys.showModal());
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 100);
  });
  window.addEventListener("hashchange", follow);
  form.hidden = false;
  apply();
  if (location.hash) follow();
})();
