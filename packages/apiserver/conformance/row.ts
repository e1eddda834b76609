import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Ask, Answer } from "./cluster.ts";
import type { Scene } from "./scene.ts";

interface RowHead {
  /** Number for `--case`; several rows can share it. */
  readonly row: number;
  /** Distinguishes rows with the same number. */
  readonly name: string;
  /** Why the row cannot run against the embedded server. */
  readonly skip?: string;
  /** Why the row cannot run against an existing cluster. */
  readonly skipGiven?: string;
}

/** Thrown by a row that cannot run on this cluster or machine; the message is the reason. */
export class CannotShow extends Error {
  override readonly name = "CannotShow";
}

/** The expected response. In texts `{ns}` and `{group}` are replaced with the case's namespace and API group. */
export interface Expectation {
  readonly code: number;
  /** The exact message; a prefix when it ends in `…`. */
  readonly message?: string;
  readonly reason?: string;
  /** Members that the response must contain; an undefined one must be absent. */
  readonly contains?: JsonObject;
  readonly warnings?: readonly string[];
  readonly text?: string;
}

/** A row with one request. */
export interface RequestRow extends RowHead, Expectation {
  readonly ask: Ask;
}

/** A row with several steps. */
export interface StoryRow extends RowHead {
  readonly run: (scene: Scene) => Promise<void>;
}

export type Row = RequestRow | StoryRow;

/**
 * Compares only the members of `expected`, so that a failure shows the relevant difference. Lists are compared
 * completely.
 */
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

export function assertAnswer(answer: Answer, expected: Expectation): void {
  const { code, message, reason, contains, warnings, text } = expected;
  assert.equal(answer.code, code, answer.text.slice(0, 2000));
  if (message?.endsWith("…") === true)
    assert.equal(answer.message.slice(0, message.length - 1), message.slice(0, -1), answer.message);
  else if (message !== undefined) assert.equal(answer.message, message);
  if (reason !== undefined) assert.equal(member(answer.object, "reason") ?? "", reason);
  if (contains !== undefined) assertContains(answer.object, contains);
  if (warnings !== undefined) assert.deepEqual(answer.warnings, warnings);
  if (text !== undefined) assert.equal(answer.text, text);
}

/** Replaces the case's names in all texts. */
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
  assertAnswer(await scene.ask(placed(ask, scene)), expected);
}
