import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseGlob } from "../glob.ts";
import { ignoreRules } from "./index-ignore.ts";

const ignored = (text: string, path: string, directory: readonly string[] = []): boolean =>
  ignoreRules([{ directory, text }])(path.split("/"));

test("a pattern ignores the same files as in git, except where upstream differs", () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["README.md", ["README.md", "a/README.md"], ["README.mdx", "a/README"]],
    ["docs", ["docs", "docs/a", "x/docs/a/b"], ["doc", "docsx/a"]],
    ["docs/", ["docs/a", "x/docs/a"], ["docs", "x/docs"]],
    ["/docs", ["docs", "docs/a"], ["x/docs", "x/docs/a"]],
    ["a/b", ["a/b", "a/b/c"], ["x/a/b", "a/bc"]],
    ["a/b/", ["a/b/c"], ["a/b"]],
    ["*.md", ["a.md", "x/a.md", ".md"], ["a.md.x"]],
    ["a/*", ["a/b", "a/b/c"], ["b/a"]],
    ["**/x", ["x", "a/x", "a/b/x", "a/x/y"], ["a/xy"]],
    ["a/**", ["a", "a/b", "a/b/c"], ["b/a"]],
    ["a/**/z", ["a/z", "a/b/z", "a/b/c/z/y"], ["z", "b/z"]],
    ["a/x**/b", [], ["a/xy/b", "a/x**/b"]],
    ["?.x", ["a.x", "d/b.x"], ["ab.x", ".x"]],
    ["[a-c].x", ["a.x", "c.x"], ["d.x", "-.x"]],
    ["[^a].x", ["b.x"], ["a.x"]],
    ["[!a].x", ["!.x", "a.x"], ["b.x"]],
    ["\\#x", ["#x"], ["\\#x"]],
    ["\\!x", ["!x"], ["x"]],
    ["[", [], ["[", "a"]],
    ["  spaced  ", ["spaced"], ["  spaced  "]],
    ["# comment\n\n", [], ["# comment", "comment"]],
    ["a/b*c/d", ["a/bxc/d", "a/bc/d/e"], ["a/b/c/d"]],
  ];
  for (const [text, yes, no] of cases) {
    for (const path of yes) assert.equal(ignored(text, path), true, `${text} ignores ${path}`);
    for (const path of no) assert.equal(ignored(text, path), false, `${text} leaves ${path}`);
  }
});

test("the last pattern that matches decides, also below an ignored directory", () => {
  const only = "*\n!*.json\n!*.yaml\n*.clusterserviceversion.yaml\n";
  for (const path of ["a/catalog.yaml", "index.json", "a/b/c.json"]) assert.equal(ignored(only, path), false, path);
  for (const path of ["README.md", "a/x.clusterserviceversion.yaml", ".git/HEAD"])
    assert.equal(ignored(only, path), true, path);
  assert.equal(ignored("docs\n!docs/keep.yaml\n", "docs/keep.yaml"), false);
  assert.equal(ignored("!a\na\n", "a"), true);
});

test("an ignore file applies to its own directory only, and a later file wins", () => {
  const rules = ignoreRules([
    { directory: [], text: "*.md\n" },
    { directory: ["a"], text: "!keep.md\n/x\n" },
  ]);
  assert.equal(rules(["a", "keep.md"]), false);
  assert.equal(rules(["keep.md"]), true);
  assert.equal(rules(["a", "x"]), true);
  assert.equal(rules(["x"]), false);
  assert.equal(rules(["a", "b", "x"]), false);
  assert.equal(rules(["ab", "x"]), false);
});

/** A second, simple implementation of the rules: a pattern becomes a regular expression over the whole path. */
function plainly(lines: readonly string[], path: readonly string[]): boolean {
  let answer = false;
  for (const raw of lines) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const includes = line.startsWith("!");
    const unsigned = includes ? line.slice(1) : line;
    const directories = unsigned.endsWith("/");
    const body = directories ? unsigned.slice(0, -1) : unsigned;
    if (matchesPlainly(body, directories, path)) answer = !includes;
  }
  return answer;
}

function matchesPlainly(body: string, directories: boolean, path: readonly string[]): boolean {
  const below = directories ? path.slice(0, -1) : path;
  const segment = (text: string): string =>
    text.replaceAll(".", "[.]").replaceAll("*", "[^/]*").replaceAll("?", "[^/]");
  if (!body.includes("/")) return body !== "" && below.some((name) => new RegExp(`^${segment(body)}$`).test(name));
  const expression = body.replace(/^\//, "").split("/").map(segment).join("/");
  // What is anchored matches itself and all that lies beneath.
  return below.some((_, index) => new RegExp(`^${expression}$`).test(below.slice(0, index + 1).join("/")));
}

test("the matcher agrees with the simple implementation", () => {
  const name = fc.constantFrom("a", "b", "ab", "abc", "x.md", "y.json", ".z");
  const part = fc.constantFrom("a", "b", "*", "?", "a*", "*b", "*.md", "a?c", ".z", "*.*");
  const pattern = fc
    .tuple(
      fc.constantFrom("", "!"),
      fc.constantFrom("", "/"),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "/"),
    )
    .map(([sign, anchor, parts, end]) => sign + anchor + parts.join("/") + end);
  fc.assert(
    fc.property(
      fc.array(pattern, { maxLength: 5 }),
      fc.array(name, { minLength: 1, maxLength: 4 }),
      (patterns, path) => {
        assert.equal(ignored(patterns.join("\n"), path.join("/")), plainly(patterns, path));
      },
    ),
    { numRuns: 5000 },
  );
});

const spelled = new Map([
  ["*", ".*"],
  ["?", "."],
  [".", "[.]"],
]);

test("globs agree with regular expressions, and hostile ones are fast", () => {
  const parts = fc.array(fc.constantFrom("a", "b", "-", "*", "?", "[ab]", "[^a]", "[a-c]", "\\*", "."), {
    maxLength: 6,
  });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "-", "*", "."), maxLength: 8 });
  fc.assert(
    fc.property(parts, text, (glob, name) => {
      const expression = glob.map((part) => spelled.get(part) ?? part).join("");
      assert.equal(parseGlob(glob.join(""))?.(name), new RegExp(`^${expression}$`).test(name));
    }),
    { numRuns: 5000 },
  );
  assert.equal(parseGlob("a*".repeat(200))?.(`${"a".repeat(20_000)}b`), true);
  assert.equal(parseGlob(`${"a*".repeat(200)}c`)?.("a".repeat(20_000)), false);
  for (const bad of ["[", "[a", "[]", "[a-", "[a-]", "\\", "[\\", "a[^"]) assert.equal(parseGlob(bad), undefined, bad);
});

test("arbitrary rules and paths never throw", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
      (text, path) => {
        assert.equal(typeof ignoreRules([{ directory: [], text }])(path), "boolean");
      },
    ),
    { numRuns: 2000 },
  );
});
