import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Ask, Told } from "./cluster.ts";
import type { Scene } from "./scene.ts";

interface RowHead {
  /** Number in the conformance list. */
  readonly row: number;
  /** What distinguishes the vectors of one row. */
  readonly name: string;
  /** Why it cannot be shown here. */
  readonly skip?: string;
  /** Why it cannot be shown on a cluster that was given. */
  readonly skipGiven?: string;
}

/** Thrown by a row that this cluster or this machine cannot show; the message says why. */
export class CannotShow extends Error {
  override readonly name = "CannotShow";
}

/** What must hold of one answer. In texts `{ns}` and `{group}` stand for the case's namespace and API group. */
export interface Expectation {
  readonly code: number;
  /** The exact message; or how it starts, when it ends in `…`. */
  readonly message?: string;
  readonly reason?: string;
  /** Members that must be there like this; an undefined one must be absent. */
  readonly contains?: JsonObject;
  readonly warnings?: readonly string[];
  readonly text?: string;
}

/** One request and its answer. */
export interface RequestRow extends RowHead, Expectation {
  readonly ask: Ask;
}

/** A course of events. */
export interface StoryRow extends RowHead {
  readonly run: (scene: Scene) => Promise<void>;
}

export type Row = RequestRow | StoryRow;

/** The part of `actual` that `expected` names, so that a difference shows what matters. Lists are compared whole. */
export function assertContains(actual: JsonValue | undefined, expected: JsonValue, path = ""): void {
  if (!isJsonObject(expected)) {
    assert.deepEqual(actual, expected, path);
    return;
  }
  assert.ok(isJsonObject(actual), `${path} is no object: ${JSON.stringify(actual)}`);
  for (const [key, value] of Object.entries(expected))
    if (value === undefined) assert.equal(member(actual, key), undefined, `${path}.${key}`);
    else assertContains(member(actual, key), value, `${path}.${key}`);
}

export function assertTold(told: Told, expected: Expectation): void {
  const { code, message, reason, contains, warnings, text } = expected;
  assert.equal(told.code, code, told.text.slice(0, 2000));
  if (message?.endsWith("…") === true)
    assert.equal(told.message.slice(0, message.length - 1), message.slice(0, -1), told.message);
  else if (message !== undefined) assert.equal(told.message, message);
  if (reason !== undefined) assert.equal(member(told.object, "reason") ?? "", reason);
  if (contains !== undefined) assertContains(told.object, contains);
  if (warnings !== undefined) assert.deepEqual(told.warnings, warnings);
  if (text !== undefined) assert.equal(told.text, text);
}

/** Puts the case's names into every text. */
export function placed<T>(value: T, scene: Scene): T {
  const { ns, group } = scene;
  const text = JSON.stringify(value, (_key, held: unknown) => (held === undefined ? absentMark : held));
  return JSON.parse(text.replaceAll("{ns}", ns).replaceAll("{group}", group), (_key, held: unknown) =>
    held === absentMark ? undefined : held,
  ) as T;
}

const absentMark = "\u0000absent";

export async function runRow(row: Row, scene: Scene): Promise<void> {
  if ("run" in row) {
    await row.run(scene);
    return;
  }
  const { ask, contains, ...rest } = row;
  const expected: Expectation = {
    ...placed(rest, scene),
    ...(contains === undefined ? {} : { contains: placed(contains, scene) }),
  };
  assertTold(await scene.ask(placed(ask, scene)), expected);
}
