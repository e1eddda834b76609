import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../commands.ts";
import { parseArguments } from "../program.ts";
import { withGivenFlags } from "./given-flags.ts";

type Given = Parameters<typeof withGivenFlags>[1];

const given = {
  namespace: "my ns",
  catalog: ["olm/a=./a", "b=./b"],
  bundles: ["./bundles"],
  pull: true,
  "as-extension": true,
  "kube-version": "1.30.0",
  channel: "fast",
};
const all = "--catalog olm/a=./a --catalog b=./b";
const read = "--bundles ./bundles --kube-version 1.30.0";

const rows: readonly (readonly [command: string, carries: string])[] = [
  ["purser plan kiln", ` -n 'my ns' ${all} ${read} --pull --as-extension`],
  ["purser explain kiln --from 1.0.0", ` -n 'my ns' ${all} ${read} --pull --as-extension`],
  ["purser plan -n other", ` ${all} ${read} --pull --as-extension`],
  ["purser explain sub/ns/kiln --why kiln.v1", ` ${all} ${read} --pull`],
  ["purser plan kiln --as-extension", ` -n 'my ns' ${all} ${read} --pull`],
  ["purser compare kiln 1.0.0 2.0.0", ` -n 'my ns' ${all} --bundles ./bundles --pull --as-extension`],
  ["purser show kiln --versions", ` ${all}`],
  ["purser search", ` ${all}`],
  ["purser search --catalog community=PATH", ""],
  ["purser searchlight", ""],
  ["purser set sub/ns/kiln --channel stable", ""],
  ["purser install kiln -n ns", ""],
  ["kubectl get pods", ""],
];

for (const [command, carries] of rows)
  test(`${command} is pasted with ${carries === "" ? "no flag" : carries.trim()}`, async () => {
    const whole = withGivenFlags(command, { options: given } as unknown as Given);
    assert.equal(whole, `${command}${carries}`);
    if (carries === "") return;
    const [, ...words] = whole.match(/'[^']*'|\S+/g) ?? [];
    assert.equal((await parseArguments("purser", commands, words)).kind, "run");
  });

test("of a snapshot the objects are read again, and an empty switch stays one word", () => {
  const options = { snapshot: "cluster.yaml", compat: "" };
  assert.equal(
    withGivenFlags("purser explain ext/kiln", { options } as unknown as Given),
    "purser explain ext/kiln --snapshot cluster.yaml --compat ''",
  );
});
