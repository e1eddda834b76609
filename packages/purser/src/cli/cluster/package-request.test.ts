import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import { smallCatalog } from "../../catalog/testing/small-catalog.ts";
import type { Explanation } from "../../explanation/explanation.ts";
import type { Result } from "@purser/kubernetes/result";
import { exitCodeOf } from "../exit-code.ts";
import type { ChosenPackage, Source } from "./package-request.ts";
import { chooseBundle, choosePackage, parsePackageArgument } from "./package-request.ts";

const source = (name: string, ...packages: readonly string[]): Source => {
  const text = packages.map((one) => smallCatalog(one, ["1.0.0", "1.1.0"])).join("\n");
  const loaded = loadCatalog([{ file: `${name}.yaml`, text }]);
  assert.deepEqual(loaded.problems, []);
  return { namespace: "olm", name, index: indexOf(loaded.blobs) };
};
const chosen = (result: Result<ChosenPackage, Explanation>): ChosenPackage =>
  result.ok ? result.value : assert.fail(result.problem.summary);
const refusal = (result: Result<unknown, Explanation>): Explanation =>
  result.ok ? assert.fail("nothing was refused") : result.problem;
const commandsOf = ({ remedies }: Explanation): readonly (string | undefined)[] =>
  remedies.map(({ command }) => command);

const requests = [
  ["etcd", { packageName: "etcd" }],
  ["etcd@0.9.4", { packageName: "etcd", version: "0.9.4" }],
  ["etcd@>=0.9 <1", { packageName: "etcd", version: ">=0.9 <1" }],
] as const;
for (const [text, request] of requests) {
  test(`${text} asks for ${JSON.stringify(request)}`, () => assert.deepEqual(parsePackageArgument(text), request));
}

test("a package is found in the one catalog that offers it", () => {
  const found = chosen(choosePackage("etcd", [source("a", "etcd"), source("b", "redis")], undefined, "v0"));
  assert.equal(found.source.name, "a");
});

test("an unknown package is not found, the nearest names are offered and the catalogs named", () => {
  const found = refusal(choosePackage("etdc", [source("a", "etcd", "redis")], undefined, "v0"));
  assert.equal(found.code, "PackageNotFound");
  assert.equal(exitCodeOf(found.code), 6);
  assert.deepEqual(commandsOf(found), ["purser install etcd"]);
  assert.match(found.derivation[0]?.text ?? "", /olm\/a/);
});

test("an unknown package that resembles none is searched for in all texts", () => {
  const found = refusal(choosePackage("my db", [source("a", "etcd")], undefined, "v0"));
  assert.deepEqual(commandsOf(found), ["purser search 'my db'"]);
});

test("a package that two catalogs offer needs a choice, and each choice is a command", () => {
  const both = [source("a", "etcd"), source("b", "etcd")];
  const found = refusal(choosePackage("etcd", both, undefined, "v0"));
  assert.equal(found.code, "AmbiguousCatalog");
  assert.equal(exitCodeOf(found.code), 2);
  assert.deepEqual(commandsOf(found), [
    "purser install etcd --from-source olm/a",
    "purser install etcd --from-source olm/b",
  ]);
  for (const choice of ["b", "olm/b"]) assert.equal(chosen(choosePackage("etcd", both, choice, "v0")).source.name, "b");
});

test("an unknown catalog is not found and the nearest is offered", () => {
  const found = refusal(choosePackage("etcd", [source("community", "etcd")], "comunity", "v0"));
  assert.equal(found.code, "CatalogNotFound");
  assert.deepEqual(commandsOf(found), ["purser install etcd --from-source community"]);
});

test("names of the prototype are no packages and no catalogs", () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    assert.equal(refusal(choosePackage(name, [source("a", "etcd")], undefined, "v0")).code, "PackageNotFound");
    assert.equal(refusal(choosePackage("etcd", [source("a", "etcd")], name, "v0")).code, "CatalogNotFound");
  }
});

const etcd = chosen(choosePackage("etcd", [source("a", "etcd")], undefined, "v0"));
const channel = etcd.summary.defaultChannel;

test("without a channel and a version the head of the default channel is meant", () => {
  assert.deepEqual(chooseBundle(etcd, undefined, undefined), {
    ok: true,
    value: { channel, head: "etcd.v1.1.0" },
  });
});

test("a version names its bundle", () => {
  assert.deepEqual(chooseBundle(etcd, undefined, "1.0.0"), {
    ok: true,
    value: { channel, bundle: "etcd.v1.0.0", head: "etcd.v1.1.0" },
  });
});

test("an unknown version is not found; what the channel holds is said, newest first, and near ones are offered", () => {
  const found = refusal(chooseBundle(etcd, undefined, "1.0.1"));
  assert.equal(found.code, "VersionNotFound");
  assert.equal(found.derivation[0]?.text, "it holds 1.1.0, 1.0.0");
  assert.ok(commandsOf(found).some((command) => command?.startsWith("purser install etcd@1.")));
});

test("a range is refused with the newest version in it, and with the family that keeps to ranges", () => {
  const rows: readonly (readonly [range: string, ...commands: string[]])[] = [
    ["1.x", `purser install etcd@1.1.0 --channel ${channel}`, "purser install etcd@1.x --as-extension"],
    ["<1.1", `purser install etcd@1.0.0 --channel ${channel}`, "purser install 'etcd@<1.1' --as-extension"],
    [">=2", "purser install 'etcd@>=2' --as-extension"],
  ];
  for (const [range, ...commands] of rows) {
    const found = refusal(chooseBundle(etcd, undefined, range));
    assert.equal(found.summary, `A Subscription starts at one version, and "${range}" is a range`);
    assert.deepEqual(commandsOf(found), commands);
  }
});

test("an unknown channel is not found; the error lists the channels and suggests one", () => {
  const found = refusal(chooseBundle(etcd, "nightly", undefined));
  assert.equal(found.code, "ChannelNotFound");
  assert.match(found.derivation[0]?.text ?? "", new RegExp(channel));
  assert.deepEqual(commandsOf(found), [`purser install etcd --channel ${channel}`]);
});
