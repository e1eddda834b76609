import fc from "fast-check";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { UpgradeGraph } from "../upgrade-graph/upgrade-graph.ts";
import { upgradeGraph } from "../upgrade-graph/upgrade-graph.ts";
import { drawDot } from "./dot-drawing.ts";
import { drawHtml } from "./html-drawing.ts";
import { drawMermaid } from "./mermaid-drawing.ts";
import { pictureOf } from "./picture.ts";
import { drawSvg } from "./svg-drawing.ts";
import { shortGraph } from "./testing/short-graph.ts";
import { drawText } from "./text-drawing.ts";
import { routesOf } from "./tracks.ts";

/** Names of the elements of an XML document in order; throws where it is not well-formed. */
function elementsOf(xml: string): readonly string[] {
  const open: string[] = [];
  const seen: string[] = [];
  const tag = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[A-Za-z_:][\w:.-]*="[^"<]*")*)\s*(\/?)>/y;
  for (let at = 0; at < xml.length;) {
    const next = xml.indexOf("<", at);
    const content = xml.slice(at, next < 0 ? xml.length : next);
    assert.doesNotMatch(content, /&(?!(?:amp|lt|gt|quot|#39);)/, "a bare ampersand");
    assert.doesNotMatch(content, /]]>/);
    if (next < 0) break;
    tag.lastIndex = next;
    const found = tag.exec(xml);
    assert.ok(found !== null, `no tag at ${xml.slice(next, next + 60)}`);
    const [whole, closing, name = "", , single] = found;
    if (closing === "/") assert.equal(open.pop(), name);
    else {
      seen.push(name);
      if (single === "") open.push(name);
    }
    at = next + whole.length;
  }
  assert.deepEqual(open, []);
  return seen;
}

const world = shortGraph(
  "stable: 1.5.0 r=1.4.0 s=1.4.1 sr=>=1.0.0 <1.3.0; 1.4.1 r=1.4.0; 1.4.0 r=1.3.0; 1.3.0 r=1.2.0 dep; 1.2.0 | broken: 1.1.0 r=1.0.0; 1.0.0 r=1.1.0; 0.9.0",
);

test("the SVG is well-formed, says every version as text, and names every mark for screen readers", () => {
  const svg = drawSvg(pictureOf(world, { rules: "both" }));
  const elements = elementsOf(svg);
  assert.deepEqual([...new Set(elements)].sort(), [
    "circle",
    "g",
    "path",
    "polygon",
    "rect",
    "style",
    "svg",
    "text",
    "title",
    "tspan",
  ]);
  for (const { version } of world.bundles) assert.ok(svg.includes(`>${version}</text>`), version);
  assert.equal(elements.filter((name) => name === "title").length, 1 + 5 + 3);
  assert.match(
    svg,
    /aria-label="1\.5\.0 \(p\.v1\.5\.0\) in channel stable; head; upgrades to it: 3; upgrades from it: 0"/,
  );
  assert.match(svg, /prefers-color-scheme:dark/);
  assert.match(svg, /cycle/);
});

test("a long name is shortened in the drawing and whole for screen readers", () => {
  const long = "n".repeat(5000);
  const svg = drawSvg(pictureOf(hostileGraph(long), { rules: "both" }));
  assert.ok(Number(/width="(\d+)"/.exec(svg)?.[1]) < 3000);
  assert.ok(svg.includes(`(${long}) in channel`));
});

test("the same graph is drawn to the same bytes", () => {
  const draw = (): string => drawHtml(shortGraph("c: 1.1.0 r=1.0.0; 1.0.0"), { rules: "both" });
  assert.equal(draw(), draw());
});

const hostile = `x"><script>alert(1)</script>&'\`</style></title>--> ]]> \u202e\u0000\ud800 #quot; \\" \n subgraph`;

function hostileGraph(name: string): UpgradeGraph {
  return upgradeGraph({
    name,
    defaultChannel: name,
    deprecation: name,
    bundles: [
      { name, version: name, deprecation: name, release: name },
      { name: `${name}2`, version: "1.0.0", deprecation: name },
    ],
    channels: [
      {
        name,
        deprecation: name,
        entries: [
          { name, replaces: `${name}3`, skips: [`${name}2`], skipRange: name },
          { name: `${name}2`, replaces: name, skips: [], skipRange: `>=1.0.0 || ${name}` },
        ],
      },
    ],
  });
}

test("hostile names are text in every drawing", () => {
  const graph = hostileGraph(hostile);
  const picture = pictureOf(graph, { rules: "both", notes: [hostile] });
  const svg = drawSvg(picture);
  assert.ok(!elementsOf(svg).includes("script"));
  const html = drawHtml(graph, { rules: "both" });
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.equal(html.match(/<\/style>/g)?.length, 2);
  assert.ok(!html.includes("<script>alert"));
  for (const drawing of [svg, html]) assert.ok(!/(?!\n)\p{Cc}|\u202e/u.test(drawing) && drawing.isWellFormed());
  const withoutNotes = drawMermaid(picture).replace(/^ {2}%%.*$/gm, "");
  const labels = [...withoutNotes.matchAll(/"([^"]*)"/g)].map(([, label = ""]) => label);
  assert.ok(labels.length > 0 && labels.every((label) => !/[<>"'\n`]/.test(label)));
  const lines = drawMermaid(picture).split("\n");
  assert.ok(
    lines.every((line) =>
      /^(?:flowchart BT|  %% .*|  subgraph c0\[".*"\]|    c0r\d+.*|  end|  c0r\d.*|  classDef .*|)$/.test(line),
    ),
  );
  for (const line of drawDot(picture).split("\n"))
    if (!line.startsWith("  // ")) assert.match(line.replace(/"(?:[^"\\]|\\.)*"/g, ""), /^[^"]*$/);
  assert.ok(!/(?!\n)\p{Cc}|\u202e/u.test(drawText(graph, { rules: "both" })));
});

test("any names give well-formed drawings", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (name) => {
      const picture = pictureOf(hostileGraph(name), { rules: "both" });
      elementsOf(drawSvg(picture));
      assert.ok(drawHtml(hostileGraph(name), { rules: "both" }).endsWith("</html>\n"));
      for (const line of drawDot(picture).split("\n"))
        if (!line.startsWith("  // ")) assert.match(line.replace(/"(?:[^"\\]|\\.)*"/g, ""), /^[^"]*$/);
    }),
    { numRuns: 200 },
  );
});

test("the page makes no requests, and its Content Security Policy forbids them", () => {
  const html = drawHtml(world, { rules: "both" });
  assert.match(
    html,
    /Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"/,
  );
  assert.deepEqual(html.match(/(?:src|href)=|url\(|@import|https?:[^"]*/g), ["http://www.w3.org/2000/svg"]);
  assert.ok(!/\son\w+="/.test(html));
});

test("a page of a folded graph also has the whole graph, and a table row for each bundle in each channel", () => {
  const graph = shortGraph(`stable: ${chain(30)}`);
  const html = drawHtml(graph, { rules: "both" });
  assert.equal(html.match(/<svg /g)?.length, 2);
  assert.equal(html.match(/<tr>/g)?.length, 31);
});

/** Entries `1.N.0` down to `1.0.0`, each replacing the one below. */
function chain(length: number): string {
  return Array.from({ length }, (_, index) => length - 1 - index)
    .map((minor) => (minor === 0 ? "1.0.0" : `1.${minor}.0 r=1.${minor - 1}.0`))
    .join("; ");
}

test("a chain of more than ten versions folds to its ends; marked versions are never folded", () => {
  const rows = (text: string, options: object = {}): string =>
    pictureOf(shortGraph(text), { rules: "both", ...options })
      .rows.map(({ bundles, label }) => (bundles.length > 1 ? `(${bundles.length})` : label))
      .join(" ");
  assert.equal(rows(`c: ${chain(200)}`), "1.199.0 (199)");
  assert.equal(rows(`c: ${chain(10)}`), "1.9.0 1.8.0 1.7.0 1.6.0 1.5.0 1.4.0 1.3.0 1.2.0 1.1.0 1.0.0");
  assert.equal(rows(`c: ${chain(11)}`), "1.10.0 (10)");
  assert.equal(rows(`c: ${chain(12)}`, { installed: new Map([["p.v1.5.0", ["data"]]]) }), "1.11.0 (5) 1.5.0 (5)");
  assert.equal(rows(`c: ${chain(12).replace("1.5.0 r=1.4.0", "1.5.0 r=1.4.0 dep")}`), "1.11.0 (5) 1.5.0 (5)");
  assert.equal(
    rows(`c: ${chain(12).replace("1.11.0 r=1.10.0", "1.11.0 r=1.10.0 sr=>=1.3.0 <1.6.0")}`),
    "1.11.0 (5) 1.5.0 1.4.0 1.3.0 1.2.0 1.1.0 1.0.0",
  );
  const skipped = Array.from({ length: 9 }, (_, index) => `1.0.${9 - index}`);
  assert.equal(rows(`c: 2.0.0 s=${skipped.join(",")} r=1.0.0; ${skipped.join("; ")}; 1.0.0`), "2.0.0 (9) 1.0.0");
  assert.equal(rows(`c: ${chain(12)}`, { all: true }).split(" ").length, 12);
});

test("more than 400 rows fold by minor version", () => {
  const text = Array.from({ length: 900 }, (_, index) => `1.${Math.floor(index / 10)}.${index % 10} dep`).join("; ");
  const { rows } = pictureOf(shortGraph(`c: 2.0.0 sr=<2.0.0; ${text}`), { rules: "v0" });
  assert.ok(rows.length <= 901);
  const folded = pictureOf(shortGraph(`c: 2.0.0 s=${text.replaceAll(" dep", "").replaceAll("; ", ",")}; ${text}`), {
    rules: "v0",
  });
  assert.equal(folded.rows.length, 91);
});

test("of more than eight channels the first eight are shown, the default one first", () => {
  const graph = shortGraph(Array.from({ length: 10 }, (_, index) => `c${index}: ${index + 1}.0.0`).join(" | "));
  const picture = pictureOf(graph, { rules: "both" });
  assert.equal(picture.lanes.map(({ channel }) => channel.name).join(" "), "c0 c9 c8 c7 c6 c5 c4 c3");
  assert.deepEqual(picture.hiddenChannels, ["c2", "c1"]);
  assert.equal(pictureOf(graph, { rules: "both", all: true }).lanes.length, 10);
});

test("upgrades that run side by side never share a track where they overlap", () => {
  const version = fc.integer({ min: 0, max: 12 }).map((minor) => `1.${minor}.0`);
  const entry = fc.record({
    version,
    replaces: version,
    skips: fc.uniqueArray(version, { maxLength: 4 }),
    skipRange: fc.constantFrom("", "<1.5.0", ">=1.3.0 <1.9.0"),
  });
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: (each) => each.version, minLength: 1, maxLength: 12 }), (entries) => {
      const name = (text: string): string => `p.v${text}`;
      const graph = upgradeGraph({
        name: "p",
        defaultChannel: "c",
        bundles: entries.map((each) => ({ name: name(each.version), version: each.version })),
        channels: [
          {
            name: "c",
            entries: entries.map((each) => ({
              ...each,
              name: name(each.version),
              replaces: name(each.replaces),
              skips: each.skips.map(name),
            })),
          },
        ],
      });
      for (const lane of pictureOf(graph, { rules: "both", all: true }).lanes) {
        const { arrows, brackets } = routesOf(lane);
        for (const routes of [arrows.filter(({ track }) => track > 0), brackets]) {
          for (const [index, { arrow, track }] of routes.entries())
            for (const other of routes.slice(index + 1)) {
              if (other.track !== track) continue;
              const rows = [arrow.to, ...arrow.from];
              const others = [other.arrow.to, ...other.arrow.from];
              assert.ok(Math.max(...rows) < Math.min(...others) || Math.min(...rows) > Math.max(...others));
            }
        }
      }
      elementsOf(drawSvg(pictureOf(graph, { rules: "both" })));
    }),
    { numRuns: 200 },
  );
});
