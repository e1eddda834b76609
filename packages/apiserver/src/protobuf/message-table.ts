import { messages } from "./messages.gen.ts";

export interface MessageField {
  /** JSON name of the field; empty for an embedded struct, whose fields belong to the outer object. */
  readonly name: string;
  /** Go's name of the field, for error texts. */
  readonly goName: string;
  readonly shape: "one" | "list" | "map";
  /** A scalar type ({@link isScalarType}) or the name of a message; for a map, the type of its values. */
  readonly type: string;
}

/** Fields of a message by number. */
export type Message = ReadonlyMap<number, MessageField>;

const scalars: ReadonlySet<string> = new Set(["string", "bool", "int32", "int64", "double", "bytes"]);

const lines = new Map<string, string>();
const parsed = new Map<string, Message>();

export function isScalarType(type: string): boolean {
  return scalars.has(type);
}

/** The message with the name, such as `core.v1.Pod`; undefined when it is not in the table. */
export function messageOf(name: string): Message | undefined {
  const known = parsed.get(name);
  if (known !== undefined) return known;
  if (lines.size === 0)
    for (const line of messages.trim().split("\n")) {
      const space = line.indexOf(" ");
      if (space < 0) lines.set(line, "");
      else lines.set(line.slice(0, space), line.slice(space + 1));
    }
  const line = lines.get(name);
  if (line === undefined) return undefined;
  const message = new Map<number, MessageField>();
  for (const entry of line.split(" ").filter((part) => part !== "")) {
    const [number = "", field = "", type = "", goName = capitalised(field)] = entry.split(":");
    const shape = type.startsWith("[]") ? "list" : type.startsWith("{}") ? "map" : "one";
    message.set(Number(number), { name: field, goName, shape, type: shape === "one" ? type : type.slice(2) });
  }
  parsed.set(name, message);
  return message;
}

function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
