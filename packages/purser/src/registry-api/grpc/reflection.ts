import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { bytesField, type Field, integer, item, message, text } from "../../catalog-store/registry/message-writer.ts";
import { descriptorBytes, protocolFiles } from "./protocol.ts";
import { readFields } from "./request-fields.ts";

const notFound = 5;

/** Answers one message of `ServerReflectionInfo`; v1 and v1alpha have the same shape. */
export function answerReflection(request: Uint8Array): Uint8Array {
  const fields = readFields(request);
  return message(text(1, fields.text(1)), bytesField(2, request), answer(fields));
}

function answer(fields: ReturnType<typeof readFields>): Field {
  if (fields.has(3)) return files(protocolFiles.find(({ name }) => name === fields.text(3)));
  if (fields.has(4)) return files(protocolFiles.find((file) => symbolsOf(file).has(fields.text(4))));
  // No message of this protocol has extensions.
  if (fields.has(5)) return files(undefined);
  if (fields.has(6)) {
    const type = fields.text(6);
    if (!protocolFiles.some((file) => messagesOf(file).includes(type))) return refusal();
    return bytesField(5, message(text(1, type)));
  }
  if (fields.has(7)) return bytesField(6, message(...services.map((name) => bytesField(1, message(item(1, name))))));
  return bytesField(7, message(integer(1, 3), text(2, "invalid MessageRequest: <nil>")));
}

/** Full names of all services, sorted. */
const services = protocolFiles.flatMap((file) => file.service.map(({ name }) => `${file.package}.${name}`)).sort();

function refusal(): Field {
  return bytesField(7, message(integer(1, notFound), text(2, "proto: not found")));
}

/** The file with its imports, so that a client can link them without another request. */
function files(found: FileDescriptorProto | undefined): Field {
  if (found === undefined) return refusal();
  const sent = [found, ...protocolFiles.filter(({ name }) => found.dependency.includes(name))];
  return bytesField(4, message(...sent.map((file) => bytesField(1, descriptorBytes(file)))));
}

function messagesOf(file: FileDescriptorProto): readonly string[] {
  return file.messageType.map(({ name }) => `${file.package}.${name}`);
}

/** Messages, their fields and enums, services and their methods, by full name. */
function symbolsOf(file: FileDescriptorProto): ReadonlySet<string> {
  const below = (parent: string, names: readonly { readonly name: string }[]): readonly string[] =>
    names.map(({ name }) => `${parent}.${name}`);
  return new Set([
    ...messagesOf(file),
    ...file.messageType.flatMap(({ name, field, enumType, nestedType, oneofDecl }) =>
      [field, enumType, nestedType, oneofDecl].flatMap((members) => below(`${file.package}.${name}`, members)),
    ),
    ...below(file.package, file.enumType),
    ...below(file.package, file.service),
    ...file.service.flatMap(({ name, method }) => below(`${file.package}.${name}`, method)),
  ]);
}
