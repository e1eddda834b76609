import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { loadCatalog } from "../loading/load.ts";
import { smallCatalog } from "../testing/small-catalog.ts";
import { fixFiles } from "./fix-catalog.ts";
import { changed, findingsIn, readWorlds } from "./testing/worlds.ts";

const fix = (text: string): string => {
  const fixed = fixFiles([{ file: "foo.yaml", text }], findingsIn(text));
  return fixed[0]?.text ?? text;
};
const { base, worlds } = readWorlds();

const repairs: readonly (readonly [what: string, before: string, after: string])[] = [
  [
    "several heads: the newest replaces the next and skips the rest, comments stay",
    "entries: # all\n- name: foo.v1.0.0 # first\n- name: foo.v1.1.0 # newest\n",
    "entries: # all\n- name: foo.v1.0.0 # first\n- name: foo.v1.1.0 # newest\n  replaces: foo.v1.0.0\n",
  ],
  [
    "an empty skip is removed, the others keep their form",
    "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skips:\n    - foo.v1.0.0   # bad\n    - ''\n    # and more\n    - foo.v0.9.0\n",
    "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skips:\n    - foo.v1.0.0   # bad\n    # and more\n    - foo.v0.9.0\n",
  ],
  [
    "removing the last item removes its key",
    "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n  skips:\n  - ''\n",
    "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n",
  ],
  [
    "a list in brackets keeps its brackets",
    "entries:\n- name: foo.v1.0.0\n- {name: foo.v1.1.0, skips: [foo.v1.0.0, foo.v0.9.0, foo.v0.9.0]} # x\n",
    "entries:\n- name: foo.v1.0.0\n- {name: foo.v1.1.0, skips: [foo.v1.0.0, foo.v0.9.0]} # x\n",
  ],
  [
    "a repeated entry is removed with all its lines",
    "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n- replaces: foo.v1.0.0\n  name: foo.v1.1.0\n# end\n",
    "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n# end\n",
  ],
  [
    "a range that ends at its own version ends below it, in its quotes' place",
    'entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skipRange: ">=0.9.0 <=1.1.0"   # all\n  replaces: foo.v1.0.0\n',
    "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  skipRange: '>=0.9.0 <1.1.0'   # all\n  replaces: foo.v1.0.0\n",
  ],
];
const entries = "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n";
for (const [what, before, after] of repairs) {
  test(`--fix: ${what}`, () => {
    assert.equal(fix(changed(base, [[entries, before]])), changed(base, [[entries, after]]));
  });
}

test("--fix edits JSON in its own form", () => {
  const json = (channelEntries: string): string =>
    `{
  "schema": "olm.package",
  "name": "foo",
  "defaultChannel": "stable"
}
{"schema": "olm.channel", "package": "foo", "name": "stable", "entries": ${channelEntries}}
${["1.0.0", "1.1.0", "1.2.0"]
  .map(
    (version, index) =>
      `{"schema":"olm.bundle","package":"foo","name":"foo.v${version}","image":"example.com/foo@sha256:${String(index + 1).repeat(64)}","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"${version}"}}]}`,
  )
  .join("\n")}
`;
  assert.equal(
    fix(
      json(
        '[{"name": "foo.v1.0.0"}, {"name": "foo.v1.1.0", "skips": ["", "foo.v0.9.0"]},\n  {\n    "name": "foo.v1.2.0"\n  }]',
      ),
    ),
    json(
      '[{"name": "foo.v1.0.0"}, {"name": "foo.v1.1.0", "skips": ["foo.v0.9.0"]},\n  {\n    "name": "foo.v1.2.0",\n    "skips": ["foo.v1.0.0"],\n    "replaces": "foo.v1.1.0"\n  }]',
    ),
  );
});

test("CRLF line ends are kept", () => {
  const text = changed(base, [["  replaces: foo.v1.0.0\n", ""]]).replaceAll("\n", "\r\n");
  assert.equal(fix(text), base.replaceAll("\n", "\r\n"));
});

test("text in a form that cannot be changed safely stays unchanged", () => {
  const text = changed(base, [
    [
      "entries:\n- name: foo.v1.0.0\n- name: foo.v1.1.0\n  replaces: foo.v1.0.0\n",
      "entries: [{name: foo.v1.0.0}, {name: foo.v1.1.0}]\n",
    ],
  ]);
  assert.equal(fix(text), text);
});

for (const { rule, change } of worlds) {
  if (change === undefined) continue;
  test(`repairing the world of ${rule} leaves no fixable finding and causes no new one`, () => {
    const text = changed(base, change);
    const before = findingsIn(text);
    const once = fix(text);
    const after = findingsIn(once);
    assert.deepEqual(
      after.filter((finding) => finding.fix !== undefined).map((finding) => finding.rule),
      [],
    );
    const known = new Set(before.map((finding) => finding.rule));
    // Advice is given for valid packages only, so a repair may lead to new advice.
    assert.deepEqual(
      after.filter((finding) => finding.severity === "error" && !known.has(finding.rule)),
      [],
    );
    assert.equal(fix(once), once);
  });
}

const versions = ["1.0.0", "1.1.0", "1.2.0", "2.0.0"];
const faults = fc.array(
  fc.record({
    entry: fc.integer({ min: 0, max: 3 }),
    fault: fc.constantFrom("noReplaces", "emptySkip", "repeatedSkip", "twice", "flow", "emptyDocument", "ownRange"),
  }),
  { maxLength: 4 },
);

/** A catalog with some faults written into its text. */
function faulty(chosen: readonly { readonly entry: number; readonly fault: string }[]): string {
  const head = smallCatalog("foo", versions);
  return chosen.reduce((text, { entry, fault }) => {
    const version = versions[entry] ?? "1.0.0";
    const line = new RegExp(`- name: foo\\.v${version.replaceAll(".", "\\.")}\\n`);
    switch (fault) {
      case "noReplaces":
        return text.replace(new RegExp(`(- name: foo\\.v${version.replaceAll(".", "\\.")}\\n)  replaces: .*\\n`), "$1");
      case "emptySkip":
        return /skips/.test(text)
          ? text
          : text.replace(line, `- name: foo.v${version}\n  skips:\n  - ''\n  - foo.v0.1.0\n`);
      case "repeatedSkip":
        return /skips/.test(text) ? text : text.replace(line, `- name: foo.v${version}\n  skips: [a, b, a]\n`);
      case "twice":
        return text.replace(line, `- name: foo.v${version} # again\n- name: foo.v${version}\n`);
      case "ownRange":
        return /skipRange/.test(text)
          ? text
          : text.replace(line, `- name: foo.v${version}\n  skipRange: <=${version}\n`);
      case "emptyDocument":
        return `# comment\n${text}`;
    }
    return text;
  }, head);
}

test("a second run of --fix changes nothing, and blobs without a fixable finding stay unchanged", () => {
  fc.assert(
    fc.property(faults, (chosen) => {
      const text = faulty(chosen);
      const findings = findingsIn(text).filter((finding) => finding.fix !== undefined);
      const touched = new Set(findings.flatMap((finding) => (finding.fix ?? []).map(({ document }) => document)));
      let fixed = text;
      for (let round = 0; round < 5; round++) fixed = fix(fixed);
      assert.deepEqual(
        findingsIn(fixed).filter((finding) => finding.fix !== undefined),
        [],
      );
      const blobs = (of: string) => loadCatalog([{ file: "foo.yaml", text: of }]).blobs;
      const after = new Map(blobs(fixed).map((blob) => [`${blob.schema} ${blob.name}`, canonicalJson(blob.json)]));
      for (const blob of blobs(text))
        if (!touched.has(blob.place.document ?? 0) && blob.schema !== "olm.channel")
          assert.equal(after.get(`${blob.schema} ${blob.name}`), canonicalJson(blob.json));
      // What people wrote beside the values stays.
      assert.equal(fixed.split("# comment").length, text.split("# comment").length);
    }),
    { numRuns: 150 },
  );
});
