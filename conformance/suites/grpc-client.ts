// A client of a gRPC server that knows of it only what its descriptors say.
import { create, createFileRegistry, fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/json.ts";
import { protocolFiles } from "../../src/registry-api/grpc/protocol.ts";

export interface GrpcAnswer {
  /** Name as in golden files: `OK`, `InvalidArgument`. */
  readonly code: string;
  readonly message: string;
  /** Protobuf JSON; default values are left out. */
  readonly responses: readonly JsonObject[];
}

export interface GrpcClient {
  /** @param method full name, such as `api.Registry.GetPackage` */
  call(method: string, request: JsonObject, metadata?: readonly (readonly [string, string])[]): Promise<GrpcAnswer>;
  close(): void;
}

const largestMessage = 256 * 1024 * 1024;

export function grpcClient(address: string): GrpcClient {
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: [...protocolFiles] }));
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
      return { code: codeName(end.code), message: end.details, responses };
    },
  };
}

/** `INVALID_ARGUMENT` as Go prints it. */
function codeName(code: status): string {
  if (code === status.OK) return "OK";
  return (status[code] ?? "")
    .split("_")
    .map((word) => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`)
    .join("");
}
