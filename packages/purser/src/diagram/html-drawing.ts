import type { UpgradeGraph } from "../upgrade-graph/upgrade-graph.ts";
import type { TableRow } from "./graph-table.ts";
import { tableOf } from "./graph-table.ts";
import { htmlScript } from "./html-script.ts";
import { escapeMarkup } from "./markup.ts";
import type { PictureOptions } from "./picture-options.ts";
import { pictureOf } from "./picture.ts";
import { drawSvg } from "./svg-drawing.ts";
import { colours } from "./svg-style.ts";

const style = [
  colours(":root"),
  "*{box-sizing:border-box}",
  "html,body{height:100%;margin:0}",
  "body{display:flex;flex-direction:column;background:var(--ug-canvas);color:var(--ug-text);font:14px/20px system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif}",
  "header{display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:8px 16px;border-bottom:1px solid var(--ug-line)}",
  "h1{font-size:16px;font-weight:650;margin:0 8px 0 0}",
  "button,input{font:inherit;color:inherit;background:var(--ug-canvas);border:1px solid var(--ug-edge);border-radius:4px;padding:4px 10px;min-height:32px}",
  "button[aria-pressed=true]{border-color:var(--ug-accent);color:var(--ug-accent)}",
  "button:focus-visible,input:focus-visible,#stage:focus-visible{outline:2px solid var(--ug-accent);outline-offset:2px}",
  "input{min-width:14em}",
  "#found{color:var(--ug-muted);font-size:12px;min-width:5em}",
  "#stage,#table-frame{flex:1;overflow:auto;min-height:0}",
  "#stage svg{display:block}",
  "#about{padding:8px 16px;border-top:1px solid var(--ug-line);color:var(--ug-muted);font-size:13px;min-height:37px;overflow-wrap:anywhere}",
  "table{border-collapse:collapse;font-size:13px;line-height:18px;width:100%}",
  "th,td{text-align:left;vertical-align:top;padding:5px 12px;border-bottom:1px solid var(--ug-line);overflow-wrap:anywhere}",
  "th{position:sticky;top:0;background:var(--ug-band);font-weight:650;overflow-wrap:normal}",
  "td:first-child,td:nth-child(2){white-space:nowrap;font-variant-numeric:tabular-nums}",
  "td:nth-child(n+4){max-width:36em}",
  "kbd{font:12px ui-monospace,monospace;color:var(--ug-muted)}",
  "[hidden]{display:none!important}",
  "@media (pointer:coarse){button,input{min-height:44px}}",
  "@media print{header,#about{display:none}#stage{overflow:visible}}",
].join("\n");

/** Content Security Policy: only inline style and script, and no requests. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/**
 * The graph as one page that needs nothing else: the drawing, folded and whole, with zoom, search and keys, and a table with
 * the same bundles.
 */
export function drawHtml(graph: UpgradeGraph, options: PictureOptions): string {
  const picture = pictureOf(graph, options);
  const whole = pictureOf(graph, { ...options, all: true });
  const isFolded = picture.rows.length < whole.rows.length || picture.hiddenChannels.length > 0;
  const title = escapeMarkup(`${graph.packageName} · upgrade graph`);
  const headings = ["Channel", "Version", "Bundle", "Marks", "Upgrades from", "Upgrades to"];
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    "<header>",
    `<h1>${title}</h1>`,
    '<input id="search" type="search" placeholder="Find (/)" aria-label="Find"><span id="found" role="status"></span>',
    '<button id="out" title="smaller (-)" aria-label="smaller">−</button>',
    '<button id="in" title="larger (+)" aria-label="larger">+</button>',
    '<button id="fit" title="fit the width (0)">Fit</button>',
    ...(isFolded
      ? ['<button id="unfold" aria-pressed="false" title="every version and channel (Space)">Show all</button>']
      : []),
    '<button id="as-table" aria-pressed="false" title="T">Table</button>',
    "</header>",
    `<main id="stage" aria-label="drawing">`,
    drawSvg(picture),
    ...(isFolded ? [drawSvg(whole)] : []),
    "</main>",
    '<div id="table-frame" hidden>',
    '<table id="table">',
    `<thead><tr>${headings.map((heading) => `<th scope="col">${heading}</th>`).join("")}</tr></thead>`,
    "<tbody>",
    ...tableOf(whole).map(tableRow),
    "</tbody>",
    "</table>",
    "</div>",
    '<div id="about" role="status">Arrows walk from version to version · <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom · <kbd>T</kbd> table · <kbd>/</kbd> find</div>',
    `<script>${htmlScript}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

function tableRow({ channel, version, bundle, marks, from, to }: TableRow): string {
  const cells = [channel, version, bundle, marks.join(", "), from.join("; "), to.join("; ")];
  return `<tr>${cells.map((cell) => `<td>${escapeMarkup(cell)}</td>`).join("")}</tr>`;
}
