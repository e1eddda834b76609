import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { CatalogProblem } from "../../catalog/problem.ts";
import { readCatalog, readCatalogEntries, type ReadCatalogOptions } from "./read-catalog.ts";

const upstream: ReadCatalogOptions = { refuseEmptyDocuments: true, followOutside: true };

interface Read {
  readonly names: readonly string[];
  readonly problems: readonly CatalogProblem[];
}

function read(root: string, options?: ReadCatalogOptions): Read {
  const results = [...readCatalog(root, options)];
  assert.deepEqual(
    [...readCatalogEntries(root, options)].map((entry) => (entry.ok ? entry.value.name : entry.problem)),
    results.map((blob) => (blob.ok ? blob.value.name : blob.problem)),
  );
  return {
    names: results.flatMap((blob) => (blob.ok ? [blob.value.name] : [])),
    problems: results.flatMap((blob) => (blob.ok ? [] : [blob.problem])),
  };
}

/** A directory with these files; `"-> target"` is a link. */
function withDirectory(files: Readonly<Record<string, string | Uint8Array>>, use: (root: string) => void): void {
  const root = mkdtempSync(join(tmpdir(), "purser-read-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      if (typeof content === "string" && content.startsWith("-> ")) symlinkSync(content.slice(3), join(root, name));
      else writeFileSync(join(root, name), content);
    }
    use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const blob = (name: string): string => `schema: custom\nname: "${name}"\n`;

test("every file that is not ignored is read, in lexical order, hidden ones and any extension included", () => {
  const files = {
    "b/z.yaml": blob("3"),
    "b/a.json": '{"schema":"x","name":"2"}',
    ".hidden": blob("0"),
    "a.txt": blob("1"),
  };
  withDirectory(files, (root) => assert.deepEqual(read(root), { names: ["0", "1", "2", "3"], problems: [] }));
});

test("ignore files leave out other files beside the blobs", () => {
  const files = {
    ".indexignore": "*\n!*.json\n!*.yaml\n*.clusterserviceversion.yaml\n",
    "README.md": "# not YAML: at: all",
    "a/index.yaml": blob("1"),
    "a/x.clusterserviceversion.yaml": "[",
    "a/b/c.json": '{"schema":"x","name":"2"}',
    "d/.indexignore": "skip.yaml\n",
    "d/skip.yaml": "[",
    "d/keep.yaml": blob("3"),
  };
  withDirectory(files, (root) => assert.deepEqual(read(root), { names: ["2", "1", "3"], problems: [] }));
});

test("an empty directory and an empty file are a valid, empty catalog", () => {
  withDirectory({ "a.yaml": "" }, (root) => {
    assert.deepEqual(read(root, upstream), { names: [], problems: [] });
    mkdirSync(join(root, "b"));
    assert.deepEqual(read(join(root, "b"), upstream), { names: [], problems: [] });
  });
});

test("a missing root, and one faulty file among good ones, are problems with their path", () => {
  const [missing] = read("/nowhere/at/all").problems;
  assert.equal(missing?.message, "open /nowhere/at/all: no such file or directory");
  withDirectory({ "a.yaml": blob("1"), "b.yaml": "schema: [\n", "c.yaml": blob("2") }, (root) => {
    const { names, problems } = read(root);
    assert.deepEqual(names, ["1", "2"]);
    assert.deepEqual(
      problems.map(({ rule, place }) => [rule, place?.file]),
      [["syntax", join(root, "b.yaml")]],
    );
  });
});

test("links to files are followed, links to directories are not, and links that lead nowhere are named", () => {
  const files = {
    "a.yaml": "-> real/x.yaml",
    "dangling.yaml": "-> gone.yaml",
    "folder.yaml": "-> real",
    "loop.yaml": "-> loop.yaml",
    "ping.yaml": "-> pong.yaml",
    "pong.yaml": "-> ping.yaml",
    "real/up": "-> ..",
    "real/x.yaml": blob("1"),
  };
  withDirectory(files, (root) => {
    for (const options of [{}, upstream]) {
      const { names, problems } = read(root, options);
      assert.deepEqual(names, ["1", "1"]);
      const path = (name: string): string => join(root, name);
      const loop = (name: string): string =>
        `open ${path(name)}: too many levels of symbolic links: the link points to itself`;
      assert.deepEqual(
        problems.map(({ rule, message, place }) => [rule, place?.file, message]),
        [
          ["unreadable", path("dangling.yaml"), `open ${path("dangling.yaml")}: no such file or directory`],
          ["unreadable", path("folder.yaml"), `read ${path("folder.yaml")}: is a directory`],
          ["unreadable", path("loop.yaml"), loop("loop.yaml")],
          ["unreadable", path("ping.yaml"), loop("ping.yaml")],
          ["unreadable", path("pong.yaml"), loop("pong.yaml")],
          ["unreadable", path("real/up"), `read ${path("real/up")}: is a directory`],
        ],
      );
    }
  });
});

test("an ignore file that cannot be read is named itself, not the catalog that it makes unreadable", () => {
  withDirectory({ "a/.indexignore": "-> .indexignore", "a/x.yaml": blob("1") }, (root) => {
    const [problem] = read(root).problems;
    assert.equal(problem?.place?.file, join(root, "a/.indexignore"));
    assert.match(problem?.message ?? "", /the link points to itself$/);
  });
});

test("links out of the catalog are followed only when the option allows it", () => {
  withDirectory({ "in/a.yaml": "-> ../out.yaml", "out.yaml": blob("1") }, (root) => {
    assert.deepEqual(read(join(root, "in"), upstream).names, ["1"]);
    const [problem] = read(join(root, "in")).problems;
    assert.deepEqual([problem?.rule, problem?.message], ["unreadable", "the link points outside of the catalog"]);
  });
});

test(
  "a file that is not regular is refused without opening it",
  { skip: process.platform === "win32" && "not here: no FIFOs" },
  () => {
    withDirectory({ "b.yaml": blob("1") }, (root) => {
      execFileSync("mkfifo", [join(root, "a.yaml")]);
      const { names, problems } = read(root);
      assert.deepEqual([names, problems.map(({ message }) => message)], [["1"], ["not a regular file"]]);
    });
  },
);

const isRoot = process.getuid?.() === 0;

/** Root may read everything: when the test runs as root, `act` runs as the user nobody. */
function withoutRights<Value>(act: () => Value): Value {
  if (!isRoot) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

test("a file without permission is a problem with its name", () => {
  withDirectory({ "a.yaml": blob("1"), "b.yaml": blob("2") }, (root) => {
    chmodSync(root, 0o755);
    chmodSync(join(root, "a.yaml"), 0);
    const { names, problems } = withoutRights(() => read(root));
    assert.deepEqual(names, ["2"]);
    assert.match(problems[0]?.message ?? "", /a\.yaml: permission denied$/);
  });
});

test("bytes that are not UTF-8 have a line; in JSON they are replaced, as upstream has it", () => {
  const bad = Buffer.concat([Buffer.from("schema: x\nname: a\n---\nschema: x\nname: "), Buffer.from([0xff, 10])]);
  withDirectory(
    { "a.yaml": bad, "b.json": Buffer.from([...Buffer.from('{"schema":"x","name":"'), 0xff, 0x22, 0x7d]) },
    (root) => {
      const { names, problems } = read(root);
      assert.deepEqual(names, ["a", "\ufffd"]);
      assert.deepEqual(problems, [
        {
          rule: "syntax",
          message: "invalid UTF-8",
          upstreamText: "error converting YAML to JSON: yaml: invalid leading UTF-8 octet",
          place: { file: join(root, "a.yaml"), document: 1, line: 5 },
        },
      ]);
    },
  );
});

test("a blob of more than 64 MiB is refused at its first line; the file may be larger", () => {
  const letters = "x".repeat(1023);
  const lines = (count: number): string => `  ${letters.slice(0, 1021)}\n`.repeat(count);
  withDirectory({ "a.yaml": `${blob("1")}---\nschema: x\nname: big\nvalue: |\n${lines(65 * 1024)}` }, (root) => {
    const { names, problems } = read(root);
    assert.deepEqual(names, ["1"]);
    assert.deepEqual(problems, [
      {
        rule: "syntax",
        message: "the document is larger than 64 MiB",
        place: { file: join(root, "a.yaml"), document: 1, line: 4, column: 1 },
      },
    ]);
  });
  withDirectory({ "a.yaml": `---\nschema: x\nname: big\nvalue: |\n${lines(40 * 1024)}`.repeat(2) }, (root) => {
    assert.deepEqual(read(root), { names: ["big", "big"], problems: [] });
  });
});
