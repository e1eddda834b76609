import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { circles } from "./circles.ts";
import { deadEntries, deadExports, undocumented } from "./dead-exports.ts";
import type { Package, SourceFile } from "./source-files.ts";
import { readSource } from "./source-files.ts";

const lower: Package = { name: "@x/lower", directory: "lower", exports: { "./a": "./src/a.ts" } };
const read = (sources: Readonly<Record<string, string>>, packages: readonly Package[] = [lower]): SourceFile[] =>
  Object.entries(sources).map(([path, text]) => readSource("/root", `packages/${path}`, text, packages));
const dead = (sources: Readonly<Record<string, string>>): readonly string[] => deadExports(read(sources), new Set());

suite("dead exports", () => {
  test("an export that a product file imports is alive, whichever way it is imported", () => {
    const [a, b, c, d] = ["lower/src/a.ts", "lower/src/b.ts", "upper/src/c.ts", "upper/src/d.ts"];
    assert.deepEqual(
      dead({
        [a]: "export const one = 1; export const two = 2; export const three = 3; export class Four {}",
        [b]: 'export { two } from "./a.ts";',
        [c]: 'import { type Four } from "@x/lower/a"; const { one } = await import("@x/lower/a"); import("../../lower/src/b.ts");',
        [d]: 'import * as all from "../../lower/src/a.ts";',
      }),
      [],
    );
  });

  test("a value without an importer is refused, used in its file or not", () => {
    assert.deepEqual(dead({ "lower/src/a.ts": "export const one = 1; export const list = [...one];" }), [
      'packages/lower/src/a.ts: no file imports "one": do not export it',
      'packages/lower/src/a.ts: no file imports "list": delete it',
    ]);
  });

  test("a comment and a member of the same name do not count as uses", () => {
    const [problem] = dead({ "lower/src/a.ts": "// one\nexport const one = 1; void {}.one;" });
    assert.match(problem ?? "", /"one": delete it$/);
  });

  test("a type may be named for readers of its file's functions, and for nothing else", () => {
    assert.deepEqual(dead({ "lower/src/a.ts": "export interface In { a: 1 } export default function f(x: In) {}" }), [
      'packages/lower/src/a.ts: no file imports "default": delete it',
    ]);
    assert.deepEqual(dead({ "lower/src/a.ts": "export interface In { a: 1 }" }).length, 1);
  });

  test("an export that only tests use is refused unless its file uses it or it says why", () => {
    const sources = (text: string) => ({
      "lower/src/a.ts": text,
      "lower/src/a.test.ts": 'import { one } from "./a.ts";',
      "lower/conformance/b.ts": 'import { one } from "../src/a.ts";',
    });
    assert.match(dead(sources("export const one = 1;"))[0] ?? "", /only tests use "one"/);
    assert.deepEqual(dead(sources("export const one = 1; void one;")), []);
    assert.deepEqual(dead(sources("/** @testOnly because */\nexport const one = 1;")), []);
  });

  test("the product may not use an export marked @testOnly", () => {
    const [problem] = dead({
      "lower/src/a.ts": "/** @testOnly because */\nexport const one = 1;",
      "lower/src/b.ts": 'import { one } from "./a.ts";',
    });
    assert.match(problem ?? "", /"one" is marked @testOnly and used by the product/);
  });

  test("the files of a package's surface may have exports without an importer here", () => {
    const files = read({ "lower/src/a.ts": "export const one = 1;" });
    assert.deepEqual(deadExports(files, new Set(["packages/lower/src/a.ts"])), []);
  });
});

suite("entries of a package's exports", () => {
  const entries = (exports: Package["exports"], importer: string, request: string): readonly string[] => {
    const packages = [{ ...lower, exports }];
    return deadEntries(read({ [importer]: `import { one } from "@x/lower${request}";` }, packages), packages);
  };
  const a = "./src/a.ts";

  test("one that another package's product imports is needed, and one that only its own package imports is not", () => {
    assert.deepEqual(entries({ "./a": a }, "upper/src/b.ts", "/a"), []);
    assert.deepEqual(entries({ "./a": a }, "lower/src/b.ts", "/a").length, 1);
  });

  test("one for tests is named so, and no product imports it", () => {
    assert.match(entries({ "./a": a }, "upper/src/b.test.ts", "/a")[0] ?? "", /only tests import it/);
    assert.deepEqual(entries({ "./testing/a": a }, "upper/src/b.test.ts", "/testing/a"), []);
    assert.match(entries({ "./testing/a": a }, "upper/src/b.ts", "/testing/a")[0] ?? "", /which is for tests/);
  });
});

test("functions and classes of files that other packages import have docstrings", () => {
  const text = `
    /** What it gives. */
    export function one() {}
    // No docstring.
    export async function two() {}
    export class Three {}
    export const four = 4;`;
  const packages = [{ ...lower, exports: { "./a": "./src/a.ts", "./testing/c": "./src/c.ts" } }];
  const files = read({ "lower/src/a.ts": text, "lower/src/b.ts": text, "lower/src/c.ts": text }, packages);
  const found = undocumented(files, packages).map((problem) => /"(.*)"/.exec(problem)?.[1]);
  assert.deepEqual(found, ["two", "Three"]);
});

suite("circles of files", () => {
  test("files that import one another over others are found, type imports included", () => {
    const files = read({
      "lower/src/a.ts": 'import type { B } from "./b.ts";',
      "lower/src/b.ts": 'export { c } from "./c.ts";',
      "lower/src/c.ts": 'const a = await import("./a.ts");',
      "lower/src/d.ts": 'import "./a.ts";',
    });
    const names = ["a", "b", "c", "a"].map((name) => `packages/lower/src/${name}.ts`);
    assert.deepEqual(circles(files), [names]);
  });

  test("a file that two others import makes no circle", () => {
    const files = read({
      "lower/src/a.ts": 'import "./b.ts"; import "./c.ts";',
      "lower/src/b.ts": 'import "./c.ts";',
      "lower/src/c.ts": "",
    });
    assert.deepEqual(circles(files), []);
  });
});
