import assert from "node:assert/strict";
import { test } from "node:test";
import type { Watch } from "@purser/kubernetes/kube/controller/controller";
import { improved } from "../compat.ts";
import type { Surroundings } from "./surroundings.ts";
import { v0Controllers } from "./v0/v0-controllers.ts";
import { v1Controllers } from "./v1/v1-controllers.ts";

/** Labels that cannot both be as the two selectors want them. */
const apart: readonly (readonly [string, string])[] = [
  ["!olm.copiedFrom", "olm.copiedFrom"],
  ["olm.managed!=true", "olm.managed=true"],
];

const requirements = ({ scope }: Watch): readonly string[] =>
  scope?.labelSelector === undefined ? [] : scope.labelSelector.split(",");

const mayShare = (left: Watch, right: Watch): boolean =>
  !apart.some(([no, yes]) =>
    [
      [left, right],
      [right, left],
    ].some(
      ([a, b]) => a !== undefined && b !== undefined && requirements(a).includes(no) && requirements(b).includes(yes),
    ),
  );

const named = ({ type, scope = {}, projection = "slim" }: Watch): string =>
  JSON.stringify([type.group, type.plural, scope, projection]);

/** Reads are answered by informers with whole or slim objects; those with metadata or a reduction never answer them. */
const answersReads = ({ projection = "slim" }: Watch): boolean => projection === "slim" || projection === "whole";

test("no object is in two informers that answer reads: a controller would read from the one that did not wake it", () => {
  const surroundings = { compat: improved } as Surroundings;
  const controllers = [...v0Controllers(surroundings), ...v1Controllers(surroundings)];
  const watches = new Map(
    controllers.flatMap(({ watches: all }) => all.filter(answersReads).map((watch) => [named(watch), watch])),
  );
  const twice = [...watches].flatMap(([name, watch]) =>
    [...watches].flatMap(([other, second]) =>
      name < other &&
      watch.type.group === second.type.group &&
      watch.type.plural === second.type.plural &&
      mayShare(watch, second)
        ? [`${name} and ${other}`]
        : [],
    ),
  );
  assert.ok(watches.size > 15);
  assert.deepEqual(twice, []);
});
