import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { customSchemaProblem } from "../../catalog/schemas/custom-schema.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { digitsOf, isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { sortedKeys } from "@purser/kubernetes/text/documents";

/** A query for custom blobs; an empty package selects blobs without a package. */
export interface CustomQuery {
  readonly schema: string;
  readonly packageName: string;
}

/** The blobs as `google.protobuf.Struct` messages, in load order; the problem is upstream's text for an invalid name. */
export function customBlobs(
  index: Pick<StoredIndex, "customBlobs" | "blob">,
  { schema, packageName }: CustomQuery,
): Result<Iterable<Uint8Array>, string> {
  if (schema === "") return failed("schema is required");
  const problem = customSchemaProblem(schema, packageName);
  if (problem !== undefined) return failed(`invalid custom schema query: ${problem}`);
  return done(structs(index, index.customBlobs(packageName, schema)));
}

function* structs(
  index: Pick<StoredIndex, "blob">,
  ids: ReturnType<StoredIndex["customBlobs"]>,
): Generator<Uint8Array, void, void> {
  for (const id of ids) yield structMessage(index.blob(id));
}

/** `google.protobuf.Struct` with sorted keys; every number is a double. */
function structMessage(object: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  writeStruct(writer, object);
  return writer.finish();
}

function writeStruct(writer: BinaryWriter, object: JsonObject): void {
  for (const key of sortedKeys(object)) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key.toWellFormed());
    writer.tag(2, WireType.LengthDelimited).fork();
    writeValue(writer, member(object, key) ?? null);
    writer.join().join();
  }
}

function writeValue(writer: BinaryWriter, value: JsonValue): void {
  const digits = digitsOf(value);
  if (value === null) writer.tag(1, WireType.Varint).int32(0);
  else if (digits !== undefined) writer.tag(2, WireType.Bit64).double(Number(digits));
  else if (typeof value === "number") writer.tag(2, WireType.Bit64).double(value);
  else if (typeof value === "string") writer.tag(3, WireType.LengthDelimited).string(value.toWellFormed());
  else if (typeof value === "boolean") writer.tag(4, WireType.Varint).bool(value);
  else if (isJsonObject(value)) {
    writer.tag(5, WireType.LengthDelimited).fork();
    writeStruct(writer, value);
    writer.join();
  } else {
    writer.tag(6, WireType.LengthDelimited).fork();
    for (const item of value) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writeValue(writer, item);
      writer.join();
    }
    writer.join();
  }
}
