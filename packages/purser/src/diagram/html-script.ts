/**
 * The script of the page: zoom, keys, search, the table. It only reads the page and sets text, never markup, so texts of
 * a catalog cannot become code.
 */
export const htmlScript = `"use strict";
(() => {
  const stage = document.getElementById("stage");
  const table = document.getElementById("table");
  const frame = document.getElementById("table-frame");
  const about = document.getElementById("about");
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const drawings = [...stage.querySelectorAll("svg")];
  let shown = 0;
  let scale = 1;
  const sizes = drawings.map((svg) => [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height]);
  const zoom = (next, x = stage.clientWidth / 2, y = stage.clientHeight / 2) => {
    const wanted = Math.min(4, Math.max(0.1, next));
    const left = (stage.scrollLeft + x) / scale;
    const top = (stage.scrollTop + y) / scale;
    scale = wanted;
    drawings.forEach((svg, index) => {
      svg.setAttribute("width", sizes[index][0] * scale);
      svg.setAttribute("height", sizes[index][1] * scale);
    });
    stage.scrollLeft = left * scale - x;
    stage.scrollTop = top * scale - y;
  };
  const fit = () => zoom(Math.min(1, (stage.clientWidth - 2) / sizes[shown][0]));
  const nodes = () => [...drawings[shown].querySelectorAll(".ug-node")];
  const lanes = () => [...drawings[shown].querySelectorAll(".ug-lane")];
  const focus = (node) => {
    if (!node) return;
    for (const each of nodes()) each.setAttribute("tabindex", "-1");
    node.setAttribute("tabindex", "0");
    node.focus({ preventScroll: true });
    node.scrollIntoView({ block: "nearest", inline: "nearest" });
    about.textContent = node.getAttribute("aria-label");
  };
  const yOf = (node) => node.getBoundingClientRect().top;
  const walk = (from, key) => {
    const lane = from.closest(".ug-lane");
    const siblings = [...lane.querySelectorAll(".ug-node")];
    const at = siblings.indexOf(from);
    if (key === "ArrowUp") return focus(siblings[at - 1]);
    if (key === "ArrowDown") return focus(siblings[at + 1]);
    const next = lanes()[lanes().indexOf(lane) + (key === "ArrowRight" ? 1 : -1)];
    if (!next) return;
    const others = [...next.querySelectorAll(".ug-node")];
    focus(others.sort((a, b) => Math.abs(yOf(a) - yOf(from)) - Math.abs(yOf(b) - yOf(from)))[0]);
  };
  const switchTable = () => {
    frame.hidden = !frame.hidden;
    stage.hidden = !frame.hidden;
    document.getElementById("as-table").setAttribute("aria-pressed", String(!frame.hidden));
    if (frame.hidden) find();
  };
  const unfold = () => {
    if (drawings.length < 2) return;
    drawings[shown].style.display = "none";
    shown = 1 - shown;
    drawings[shown].style.display = "";
    document.getElementById("unfold").setAttribute("aria-pressed", String(shown === 1));
    prepare();
    find();
  };
  const prepare = () => nodes()[0]?.setAttribute("tabindex", "0");
  let hits = [];
  const find = () => {
    const words = search.value.trim().toLowerCase();
    const matches = (text) => words !== "" && text.toLowerCase().includes(words);
    for (const row of table.tBodies[0].rows) row.hidden = words !== "" && !matches(row.textContent);
    hits = nodes().filter((node) => {
      const hit = matches(node.getAttribute("aria-label"));
      node.classList.toggle("ug-found", hit);
      return hit;
    });
    found.textContent = words === "" ? "" : hits.length + " found";
    hits[0]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && hits.length > 0) {
      focus(hits[0]);
      hits.push(hits.shift());
      event.preventDefault();
    }
    if (event.key === "Escape") {
      search.value = "";
      find();
      search.blur();
    }
  });
  stage.addEventListener("click", (event) => focus(event.target.closest(".ug-node")));
  stage.addEventListener("focusin", (event) => {
    const node = event.target.closest(".ug-node");
    if (node) about.textContent = node.getAttribute("aria-label");
  });
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    zoom(scale * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  let drag;
  stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest("text")) return;
    drag = [event.clientX + stage.scrollLeft, event.clientY + stage.scrollTop];
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    stage.scrollLeft = drag[0] - event.clientX;
    stage.scrollTop = drag[1] - event.clientY;
  });
  addEventListener("pointerup", () => { drag = undefined; });
  const actions = {
    "+": () => zoom(scale * 1.25), "=": () => zoom(scale * 1.25), "-": () => zoom(scale / 1.25),
    "0": fit, "1": () => zoom(1), t: switchTable, T: switchTable, " ": unfold, "/": () => search.focus(),
  };
  addEventListener("keydown", (event) => {
    if (event.target === search || event.ctrlKey || event.metaKey || event.altKey) return;
    const node = document.activeElement?.closest?.(".ug-node");
    if (node && event.key.startsWith("Arrow")) {
      event.preventDefault();
      return walk(node, event.key);
    }
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  for (const [id, key] of [["in", "+"], ["out", "-"], ["fit", "0"], ["as-table", "t"], ["unfold", " "]])
    document.getElementById(id)?.addEventListener("click", () => actions[key]());
  drawings.slice(1).forEach((svg) => { svg.style.display = "none"; });
  prepare();
})();
`;
