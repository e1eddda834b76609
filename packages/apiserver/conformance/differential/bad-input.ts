import type { JsonValue } from "@purser/kubernetes/json";
import type { Draw } from "./draw.ts";
import { changedAt, placesOf } from "./json-places.ts";

const values: readonly [JsonValue, ...JsonValue[]] = [
  5,
  -1,
  1.5,
  true,
  null,
  "",
  "x",
  [],
  {},
  ["x"],
  [{}],
  [null],
  { x: 1 },
  { x: null },
  "x".repeat(300),
  2 ** 40,
];

/** The value with a wrong type, a wrong shape or an unknown member somewhere. */
export function corrupted(draw: Draw, value: JsonValue): JsonValue {
  // Owner references are left alone: the garbage collector acts on wrong ones at any time.
  const places = placesOf(value).filter(
    (place) => !place.some((key) => key === "ownerReferences" || String(key).startsWith("$")),
  );
  const place = draw.one(places) ?? [];
  if (draw.chance(0.7)) return changedAt(value, place, () => draw.one(values)) ?? null;
  const name = draw.one(["bogus", "__proto__", "constructor", "Name", "a b", ""]);
  const inside = typeof place.at(-1) === "number" ? place : place.slice(0, -1);
  return changedAt(value, [...inside, name], () => draw.one(values)) ?? null;
}

interface Sent {
  readonly text: string;
  readonly contentType: string;
}

/** A body that is not valid JSON, or has another content type. */
export function spoiled(draw: Draw, { text, contentType }: Sent): Sent {
  switch (draw.one(["cut", "empty", "null", "list", "type", "double", "garbage"] as const)) {
    case "cut":
      return { text: text.slice(0, draw.below(text.length)), contentType };
    case "empty":
      return { text: "", contentType };
    case "null":
      return { text: "null", contentType };
    case "list":
      return { text: "[]", contentType };
    case "double":
      return { text: doubled(draw, text), contentType };
    case "garbage":
      return { text: `${text}]`, contentType };
    case "type":
      return { text, contentType: draw.one(["text/plain", "application/json", "application/merge-patch+json"]) };
  }
}

/** Repeats some member of the text; the second occurrence is the original. */
function doubled(draw: Draw, text: string): string {
  const names = [...text.matchAll(/"[\w.$/-]+":/gu)];
  const chosen = draw.one(names);
  if (chosen === undefined) return text;
  const [name] = chosen;
  return `${text.slice(0, chosen.index)}${name}${JSON.stringify(draw.one(values.slice(0, 10)) ?? null)},${text.slice(chosen.index)}`;
}
