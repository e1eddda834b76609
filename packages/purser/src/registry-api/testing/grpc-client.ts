// A gRPC client that knows only the descriptors of the server.
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { protocolFiles } from "../grpc/protocol.ts";

export interface GrpcAnswer {
  /** Name as in golden files: `OK`, `InvalidArgument`. */
  readonly code: string;
  readonly message: string;
  /** Protobuf JSON; default values are omitted. */
  readonly responses: readonly JsonObject[];
}

export interface GrpcClient {
  /** @param method full name, such as `api.Registry.GetPackage` */
  call(method: string, request: JsonObject, metadata?: readonly (readonly [string, string])[]): Promise<GrpcAnswer>;
  close(): void;
}

/** Files sorted so that imported files come before the files that import them. */
function linked(files: readonly FileDescriptorProto[]): readonly FileDescriptorProto[] {
  return [...files].sort((a, b) => a.dependency.length - b.dependency.length);
}

const largestMessage = 256 * 1024 * 1024;

/** @param files the descriptors of the server; default: our own */
export function grpcClient(address: string, files: readonly FileDescriptorProto[] = protocolFiles): GrpcClient {
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...linked(files)] }));
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.max_receive_message_length": largestMessage,
  });
  return {
    close: () => client.close(),
    async call(name, request, given = []) {
      const dot = name.lastIndexOf(".");
      const service = registry.getService(name.slice(0, dot));
      const method = service?.methods.find((each) => each.name === name.slice(dot + 1));
      if (method === undefined) throw new Error(`no method ${name}`);
      const metadata = new Metadata();
      for (const [key, value] of given) metadata.add(key, value);
      const path = `/${name.slice(0, dot)}/${method.name}`;
      const encode = (value: JsonObject): Buffer =>
        Buffer.from(toBinary(method.input, fromJson(method.input, value as Parameters<typeof fromJson>[1])));
      const decode = (bytes: Buffer): JsonObject => {
        const value = toJson(method.output, fromBinary(method.output, bytes), { registry }) as JsonValue;
        if (!isJsonObject(value)) throw new Error(`${name} answered with no object`);
        return value;
      };
      const responses: JsonObject[] = [];
      const end = await new Promise<{ code: status; details: string }>((resolve) => {
        if (method.methodKind === "server_streaming") {
          const stream = client.makeServerStreamRequest(path, encode, decode, request, metadata);
          stream.on("data", (response: JsonObject) => responses.push(response));
          stream.on("error", (error: ServiceError) => resolve(error));
          stream.on("status", (ended) => {
            if (ended.code === status.OK) resolve(ended);
          });
          return;
        }
        client.makeUnaryRequest(path, encode, decode, request, metadata, (error, response) => {
          if (error === null && response !== undefined) responses.push(response);
          resolve(error ?? { code: status.OK, details: "" });
        });
      });
      return { code: codeName(end.code), message: end.code === status.OK ? "" : end.details, responses };
    },
  };
}

/** The name of a status code in Go's format: `InvalidArgument` for `INVALID_ARGUMENT`. */
function codeName(code: status): string {
  if (code === status.OK) return "OK";
  return (status[code] ?? "")
    .split("_")
    .map((word) => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`)
    .join("");
}

/** Reads the services and files of a server over reflection with the requests of grpcurl. */
export async function reflect(
  address: string,
  version: "v1" | "v1alpha",
): Promise<{ readonly services: readonly string[]; readonly files: readonly FileDescriptorProto[] }> {
  const client = new Client(address, credentials.createInsecure());
  const schema = createFileRegistry(create(FileDescriptorSetSchema, { file: [...protocolFiles] }));
  const messageOf = (name: string): DescMessage => {
    const found = schema.getMessage(`grpc.reflection.${version}.${name}`);
    if (found === undefined) throw new Error(`no message ${name}`);
    return found;
  };
  const [request, response] = [messageOf("ServerReflectionRequest"), messageOf("ServerReflectionResponse")];
  const stream = client.makeBidiStreamRequest(
    `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
    (value: JsonObject) => Buffer.from(toBinary(request, fromJson(request, value as Parameters<typeof fromJson>[1]))),
    (bytes: Buffer) => toJson(response, fromBinary(response, bytes)) as unknown as Reflected,
  );
  const ask = (value: JsonObject): Promise<Reflected> =>
    new Promise((resolve, reject) => {
      stream.once("data", resolve);
      stream.once("error", reject);
      stream.write(value);
    });
  try {
    const { listServicesResponse } = await ask({ listServices: "*" });
    const services = (listServicesResponse?.service ?? []).map(({ name }) => name);
    const files = new Map<string, FileDescriptorProto>();
    for (const fileContainingSymbol of services) {
      const { fileDescriptorResponse, errorResponse } = await ask({ fileContainingSymbol });
      if (errorResponse !== undefined) throw new Error(errorResponse.errorMessage);
      for (const encoded of fileDescriptorResponse?.fileDescriptorProto ?? []) {
        const file = fromBinary(FileDescriptorProtoSchema, Buffer.from(encoded, "base64"));
        files.set(file.name, file);
      }
    }
    const unknown = await ask({ fileContainingSymbol: "api.Nothing" });
    if (unknown.errorResponse?.errorCode !== 5) throw new Error("an unknown symbol was found");
    return { services, files: [...files.values()] };
  } finally {
    stream.end();
    client.close();
  }
}

interface Reflected {
  readonly listServicesResponse?: { readonly service?: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto?: readonly string[] };
  readonly errorResponse?: { readonly errorCode?: number; readonly errorMessage?: string };
}
