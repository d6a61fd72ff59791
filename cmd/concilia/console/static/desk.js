// What the pages gain where scripts run: single keys, the progress of a night, and copying. Without it everything works.
"use strict";
(() => {
  const body = document.body;
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) break;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      const text = button.textContent;
      button.textContent = "✓";
      setTimeout(() => { button.textContent = text; }, 1500);
    });
  }

  let typed = false; // something that a new page would lose
  document.addEventListener("input", () => { typed = true; });
  const follow = async (place, show) => {
    for (;;) {
      await new Promise(done => setTimeout(done, 2000));
      const answer = await fetch(place).catch(() => null);
      if (!answer || !answer.ok) continue;
      const now = await answer.json();
      show(now);
      if (!now.ended) continue;
      if (!typed && !document.querySelector("form.card")) location.reload();
      return;
    }
  };
  const small = document.querySelector("[data-progress]");
  if (small) follow(small.dataset.progress, now => { small.textContent = now.planned ? `${now.done} / ${now.planned}` : ""; });
  const large = document.querySelector("[data-progress-bar]");
  if (large) follow(large.dataset.progressBar, now => {
    const bar = large.querySelector("progress");
    bar.max = now.planned || 1;
    bar.value = now.done;
  });

  if (body.dataset.keys !== "on") return;
  const hint = document.querySelector("[data-shortcuts]");
  const rows = [...document.querySelectorAll("table.cases tbody tr")];
  if (hint) hint.hidden = false;
  let here = -1;
  const go = to => {
    if (!rows.length) return;
    if (here >= 0) rows[here].classList.remove("here");
    here = Math.max(0, Math.min(rows.length - 1, to));
    rows[here].classList.add("here");
    const link = rows[here].querySelector("a");
    link.focus({preventScroll: true});
    rows[here].scrollIntoView({block: "nearest"});
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input,select,textarea,[contenteditable]")) return;
    switch (event.key) {
      case "j": go(here + 1); break;
      case "k": go(here - 1); break;
      case "x": {
        const box = here >= 0 && rows[here].querySelector("input[type=checkbox]");
        if (box) box.click();
        break;
      }
      case "/": {
        const search = document.querySelector("input[type=search]");
        if (!search) return;
        search.focus();
        break;
      }
      case "?": if (hint) hint.scrollIntoView(); break;
      default: return;
    }
    event.preventDefault();
  });
})();
