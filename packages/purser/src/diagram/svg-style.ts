/** Colours by meaning; each is used in addition to a shape and a word. */
const light =
  "--ug-canvas:#fff;--ug-band:#f7f8fa;--ug-line:#dde1e6;--ug-text:#14181f;--ug-muted:#4a5563;--ug-faint:#626d7c;--ug-accent:#1a5cc0;--ug-warn:#855500;--ug-danger:#b3261e;--ug-deprecated:#7a3d9e;--ug-edge:#818b99";
const dark =
  "--ug-canvas:#161b22;--ug-band:#0e1116;--ug-line:#2c3440;--ug-text:#e6eaf0;--ug-muted:#a9b4c2;--ug-faint:#8a96a6;--ug-accent:#79b0ff;--ug-warn:#e8b84a;--ug-danger:#ff8f86;--ug-deprecated:#d9a4f2;--ug-edge:#697586";
const forced =
  "--ug-canvas:Canvas;--ug-band:Canvas;--ug-line:CanvasText;--ug-text:CanvasText;--ug-muted:CanvasText;--ug-faint:CanvasText;--ug-accent:Highlight;--ug-warn:CanvasText;--ug-danger:CanvasText;--ug-deprecated:CanvasText;--ug-edge:CanvasText";

/** Custom properties for an element and everything in it. */
export const colours = (selector: string): string =>
  [
    `${selector}{color-scheme:light dark;${light}}`,
    `@media (prefers-color-scheme:dark){${selector}{${dark}}}`,
    `@media (forced-colors:active){${selector}{${forced}}}`,
  ].join("\n");

/** The style of the drawing; every class begins with `ug`, so that a page may hold it. */
export const svgStyle = [
  colours(".ug"),
  ".ug{background:var(--ug-canvas);font-family:system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif}",
  ".ug text{fill:var(--ug-text);font-size:13px;dominant-baseline:central}",
  ".ug .ug-title{font-size:16px;font-weight:650}",
  ".ug .ug-channel{font-weight:650}",
  ".ug .ug-small,.ug .ug-tag{font-size:12px;font-weight:400;fill:var(--ug-muted)}",
  ".ug .ug-note{font-size:12px;fill:var(--ug-warn)}",
  ".ug .ug-range{font-size:11px;fill:var(--ug-muted)}",
  ".ug .ug-rules{font-size:10px;fill:var(--ug-faint);stroke:var(--ug-canvas);stroke-width:3px;paint-order:stroke}",
  ".ug .ug-version{font-variant-numeric:tabular-nums}",
  ".ug .ug-band{fill:var(--ug-band)}",
  ".ug .ug-rule{stroke:var(--ug-line);stroke-width:1}",
  ".ug path,.ug circle,.ug polygon,.ug .ug-capsule{fill:none;stroke:var(--ug-edge);stroke-width:1.5}",
  ".ug .ug-skips{stroke-dasharray:5 3}",
  ".ug .ug-skipRange{stroke-width:1.25;stroke:var(--ug-faint)}",
  ".ug .ug-partial{opacity:.55}",
  ".ug .ug-path{stroke:var(--ug-accent);stroke-width:3;stroke-dasharray:none}",
  ".ug .ug-arrow{fill:var(--ug-edge);stroke:none}",
  ".ug .ug-arrow-path{fill:var(--ug-accent);stroke:none}",
  ".ug .ug-mark *,.ug .ug-capsule{fill:var(--ug-canvas)}",
  ".ug .ug-mark-version *{stroke:var(--ug-muted)}",
  ".ug .ug-mark-head *{stroke:var(--ug-accent);stroke-width:2}",
  ".ug .ug-mark-installed *{stroke:var(--ug-text)}",
  ".ug .ug-mark-installed .ug-full{fill:var(--ug-text)}",
  ".ug .ug-mark-skipped *{stroke:var(--ug-faint);stroke-width:1.25;stroke-dasharray:1.5 2}",
  ".ug .ug-mark-deprecated *,.ug .ug-octagon{stroke:var(--ug-deprecated)}",
  ".ug .ug-mark-stranded *{stroke:var(--ug-danger);stroke-dasharray:4 2.5}",
  ".ug .ug-mark-direct *{stroke:var(--ug-faint);stroke-dasharray:.5 2.6;stroke-linecap:round;stroke-width:2}",
  ".ug .ug-mark-missing *,.ug .ug-mark-elsewhere *{stroke:var(--ug-faint);stroke-width:1;stroke-dasharray:2 2}",
  ".ug .ug-ask{font-size:10px;fill:var(--ug-faint);stroke:none;text-anchor:middle}",
  ".ug .ug-badge{fill:var(--ug-accent);stroke:none}",
  ".ug text.ug-badge-text{font-size:11px;font-weight:650;fill:var(--ug-canvas);text-anchor:middle}",
  ".ug .ug-tag-head,.ug .ug-tag-path{fill:var(--ug-accent)}",
  ".ug .ug-tag-installed{fill:var(--ug-text);font-weight:500}",
  ".ug .ug-tag-deprecated{fill:var(--ug-deprecated)}",
  ".ug .ug-tag-stranded{fill:var(--ug-danger)}",
  ".ug .ug-tag-skipped,.ug .ug-tag-missing,.ug .ug-tag-elsewhere,.ug .ug-tag-direct{fill:var(--ug-faint)}",
  ".ug .ug-node{outline:none}",
  ".ug .ug-focus{fill:none;stroke:none}",
  ".ug .ug-node:focus-visible .ug-focus,.ug .ug-node.ug-found .ug-focus{stroke:var(--ug-accent);stroke-width:2}",
].join("\n");
