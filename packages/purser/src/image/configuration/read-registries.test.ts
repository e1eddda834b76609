import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { failed } from "@purser/kubernetes/result";
import { type Environment, imagePaths } from "./image-paths.ts";
import { parserOfChanges, readCredentialHelpers, readRegistries } from "./read-registries.ts";

const root = mkdtempSync(join(tmpdir(), "registries-"));
after(() => rmSync(root, { recursive: true }));
let worlds = 0;

/** Writes the files below a new directory; paths begin with `etc/` or `home/`. */
function world(files: Readonly<Record<string, string>>, environment: Environment = {}) {
  const directory = join(root, String(worlds++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  const paths = imagePaths({ HOME: join(directory, "home"), ...environment }, existsSync, join(directory, "etc"));
  return { directory, paths };
}

const rule = (prefix: string, location: string): string => `[[registry]]\nprefix="${prefix}"\nlocation="${location}"\n`;

async function locations(files: Readonly<Record<string, string>>, environment?: Environment): Promise<unknown> {
  const rules = readRegistries(world(files, environment).paths);
  assert.ok(rules.ok, JSON.stringify(rules));
  return Object.fromEntries(rules.value.map(({ prefix, location }) => [prefix, location]));
}

test("drop-in files replace rules by their prefix, the later name and the user's directory last", async () => {
  const files = {
    "etc/containers/registries.conf":
      rule("a.example", "1") + rule("b.example", "1") + rule("c.example", "1") + rule("d.example", "1"),
    "etc/containers/registries.conf.d/20-b.conf": rule("c.example", "3"),
    "etc/containers/registries.conf.d/10-a.conf":
      rule("b.example", "2") + rule("c.example", "2") + rule("d.example", "2"),
    "etc/containers/registries.conf.d/30-c.ignored": rule("a.example", "4"),
    "home/.config/containers/registries.conf.d/05.conf": rule("d.example", "5"),
  };
  assert.deepEqual(await locations(files), { "a.example": "1", "b.example": "2", "c.example": "3", "d.example": "5" });
});

test("a parser of changes parses a file again when its text has changed, and each file for itself", () => {
  const { directory, paths } = world({
    "etc/containers/registries.conf": rule("a.example", "1"),
    "etc/containers/registries.conf.d/a.conf": rule("b.example", "1"),
  });
  const parse = parserOfChanges();
  const read = (): unknown => {
    const rules = readRegistries(paths, parse);
    assert.ok(rules.ok);
    return rules.value;
  };
  const [before, again] = [read(), read()] as [readonly object[], readonly object[]];
  assert.deepEqual(before, [
    {
      prefix: "a.example",
      location: "1",
      isInsecure: false,
      isBlocked: false,
      mirrors: [],
      file: paths.registriesFile,
      line: 1,
    },
    {
      prefix: "b.example",
      location: "1",
      isInsecure: false,
      isBlocked: false,
      mirrors: [],
      file: join(directory, "etc/containers/registries.conf.d/a.conf"),
      line: 1,
    },
  ]);
  assert.deepEqual(
    before.map((rule, index) => rule === again[index]),
    [true, true],
  );
  writeFileSync(join(directory, "etc/containers/registries.conf.d/a.conf"), rule("b.example", "2"));
  assert.deepEqual(read(), [before[0], { ...before[1], location: "2" }]);
});

test("the user's file stands in place of all files of the system", async () => {
  const files = {
    "etc/containers/registries.conf": rule("a.example", "1"),
    "etc/containers/registries.conf.d/a.conf": rule("b.example", "2"),
    "home/.config/containers/registries.conf": rule("c.example", "3"),
    "home/.config/containers/registries.conf.d/a.conf": rule("d.example", "4"),
  };
  assert.deepEqual(await locations(files), { "c.example": "3", "d.example": "4" });
});

test("CONTAINERS_REGISTRIES_CONF stands in place of both files", async () => {
  const { directory } = world({ "own.conf": rule("e.example", "5") });
  const files = {
    "etc/containers/registries.conf": rule("a.example", "1"),
    "home/.config/containers/registries.conf": rule("c.example", "3"),
  };
  assert.deepEqual(await locations(files, { CONTAINERS_REGISTRIES_CONF: join(directory, "own.conf") }), {
    "e.example": "5",
  });
});

test("no files are no rules", async () => {
  assert.deepEqual(await locations({}), {});
});

test("a file that CONTAINERS_REGISTRIES_CONF names has to exist", async () => {
  const { paths } = world({}, { CONTAINERS_REGISTRIES_CONF: "/does/not/exist.conf" });
  const text = "does not exist, and CONTAINERS_REGISTRIES_CONF names it";
  assert.deepEqual(readRegistries(paths), failed({ file: "/does/not/exist.conf", text }));
});

test("a broken drop-in file is a problem with file and line", async () => {
  const { directory, paths } = world({ "etc/containers/registries.conf.d/a.conf": "\n\n[[registry]]\n" });
  const file = join(directory, "etc/containers/registries.conf.d/a.conf");
  assert.deepEqual(readRegistries(paths), failed({ file, line: 3, text: "a registry needs a location or a prefix" }));
});

test("the last file that names credential helpers counts, the auth files among them are left out", () => {
  const helpers = (names: string): string => `credential-helpers = [${names}]\n`;
  const files = {
    "etc/containers/registries.conf": helpers('"containers-auth.json", "first"'),
    "etc/containers/registries.conf.d/10.conf": helpers('"second", "containers-auth.json", "third"'),
    "etc/containers/registries.conf.d/20.conf": rule("a.example", "1"),
  };
  assert.deepEqual(readCredentialHelpers(world(files).paths), ["second", "third"]);
  assert.deepEqual(readCredentialHelpers(world({}).paths), []);
});

test("credential helpers that are no list of names are a problem with their file", () => {
  const { directory, paths } = world({ "etc/containers/registries.conf": 'credential-helpers = "own"\n' });
  assert.deepEqual(
    readRegistries(paths),
    failed({
      file: join(directory, "etc/containers/registries.conf"),
      text: '"credential-helpers" must be a list of names',
    }),
  );
});
