import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ApiRef } from "../../catalog/catalog-index.ts";
import type { TypedText } from "../../catalog/registry-bundle.ts";
import type { ServedBundle, ServedChannel, ServedPackage } from "../../catalog/served/served-content.ts";

/** Decodes `api.Bundle`. @throws when the bytes are no protobuf message */
export function readServedBundle(bytes: Uint8Array): ServedBundle {
  const fields = fieldsOf(bytes);
  const typed = (number: number): readonly TypedText[] =>
    fields.all(number).map((each) => {
      const field = fieldsOf(each);
      return { type: field.text(1), value: field.text(2) };
    });
  const apis = (number: number): readonly ApiRef[] =>
    fields.all(number).map((each) => {
      const field = fieldsOf(each);
      return { group: field.text(1), version: field.text(2), kind: field.text(3) };
    });
  return {
    name: fields.text(1),
    packageName: fields.text(2),
    channel: fields.text(3),
    csvJson: fields.text(4),
    objects: fields.texts(5),
    image: fields.text(6),
    provides: apis(7),
    requires: apis(8),
    version: fields.text(9),
    skipRange: fields.text(10),
    dependencies: typed(11),
    properties: typed(12),
    replaces: fields.text(13),
    skips: fields.texts(14),
    ...deprecationIn(fields, 15),
  };
}

/** Decodes `api.Package`. @throws when the bytes are no protobuf message */
export function readServedPackage(bytes: Uint8Array): ServedPackage {
  const fields = fieldsOf(bytes);
  return {
    name: fields.text(1),
    channels: fields.all(2).map((each): ServedChannel => {
      const channel = fieldsOf(each);
      return { name: channel.text(1), ...deprecationIn(channel, 3) };
    }),
    defaultChannel: fields.text(3),
    ...deprecationIn(fields, 4),
  };
}

function deprecationIn(fields: Fields, number: number): { readonly deprecation?: string } {
  const bytes = fields.all(number).at(-1);
  return bytes === undefined ? {} : { deprecation: fieldsOf(bytes).text(1) };
}

/** The length-delimited fields of a message; in these messages there are no others. */
interface Fields {
  all(number: number): readonly Uint8Array[];
  /** The last one; "" when absent. */
  text(number: number): string;
  texts(number: number): readonly string[];
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const found = new Map<number, Uint8Array[]>();
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (type !== WireType.LengthDelimited) {
      reader.skip(type, number);
      continue;
    }
    const known = found.get(number);
    if (known === undefined) found.set(number, [reader.bytes()]);
    else known.push(reader.bytes());
  }
  const all = (number: number): readonly Uint8Array[] => found.get(number) ?? [];
  return {
    all,
    text: (number) => decoder.decode(all(number).at(-1)),
    texts: (number) => all(number).map((each) => decoder.decode(each)),
  };
}

/** The package of an encoded `api.Bundle`; nothing else is decoded. @throws when the bytes are no protobuf message */
export function packageOfBundle(bytes: Uint8Array): string {
  return fieldsOf(bytes).text(2);
}
