import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type FileDescriptorProto,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  type FileOptionsSchema,
  file_google_protobuf_struct,
} from "@bufbuild/protobuf/wkt";

/** A method of a service with its request and response types. */
interface Method {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly streams?: "server" | "both";
  readonly deprecated?: true;
}

interface ProtoFile {
  readonly name: string;
  readonly package: string;
  readonly imports?: readonly string[];
  /**
   * By message: `number:name:type` for each field. Without a type it is a string; with the prefix `*` it is repeated; a
   * name with a leading dot is the full name of a message; the suffix `=GROUP` puts the field into a oneof.
   */
  readonly messages: Readonly<Record<string, string>>;
  /** By `Message.Enum`: names in the order of their numbers. */
  readonly enums?: Readonly<Record<string, readonly string[]>>;
  readonly services: Readonly<Record<string, readonly Method[]>>;
  /** By `Message.Entry`: the fields of a map's entries, as in `messages`. */
  readonly maps?: Readonly<Record<string, string>>;
  readonly options: MessageInitShape<typeof FileOptionsSchema>;
}

const scalars = new Map([
  ["string", Type.STRING],
  ["bytes", Type.BYTES],
  ["int32", Type.INT32],
]);

const provider = "1:group 2:version 3:kind 4:plural";

const registry: ProtoFile = {
  name: "registry.proto",
  package: "api",
  imports: ["google/protobuf/struct.proto"],
  options: { goPackage: ".;api" },
  messages: {
    Channel: "1:name 2:csvName 3:deprecation:Deprecation",
    PackageName: "1:name",
    Package: "1:name 2:channels:*Channel 3:defaultChannelName 4:deprecation:Deprecation",
    GroupVersionKind: provider,
    Dependency: "1:type 2:value",
    Property: "1:type 2:value",
    Bundle:
      "1:csvName 2:packageName 3:channelName 4:csvJson 5:object:*string 6:bundlePath 7:providedApis:*GroupVersionKind 8:requiredApis:*GroupVersionKind 9:version 10:skipRange 11:dependencies:*Dependency 12:properties:*Property 13:replaces 14:skips:*string 15:deprecation:Deprecation",
    ChannelEntry: "1:packageName 2:channelName 3:bundleName 4:replaces",
    ListPackageRequest: "",
    ListBundlesRequest: "",
    GetPackageRequest: "1:name",
    GetBundleRequest: "1:pkgName 2:channelName 3:csvName",
    GetBundleInChannelRequest: "1:pkgName 2:channelName",
    GetAllReplacementsRequest: "1:csvName",
    GetReplacementRequest: "1:csvName 2:pkgName 3:channelName",
    GetAllProvidersRequest: provider,
    GetLatestProvidersRequest: provider,
    GetDefaultProviderRequest: provider,
    Deprecation: "1:message",
    ExperimentalListPackageCustomSchemasRequest: "1:schema 2:packageName",
  },
  services: {
    Registry: [
      { name: "ListPackages", input: "ListPackageRequest", output: "PackageName", streams: "server" },
      { name: "GetPackage", input: "GetPackageRequest", output: "Package" },
      { name: "GetBundle", input: "GetBundleRequest", output: "Bundle" },
      { name: "GetBundleForChannel", input: "GetBundleInChannelRequest", output: "Bundle", deprecated: true },
      {
        name: "GetChannelEntriesThatReplace",
        input: "GetAllReplacementsRequest",
        output: "ChannelEntry",
        streams: "server",
      },
      { name: "GetBundleThatReplaces", input: "GetReplacementRequest", output: "Bundle" },
      {
        name: "GetChannelEntriesThatProvide",
        input: "GetAllProvidersRequest",
        output: "ChannelEntry",
        streams: "server",
      },
      {
        name: "GetLatestChannelEntriesThatProvide",
        input: "GetLatestProvidersRequest",
        output: "ChannelEntry",
        streams: "server",
      },
      { name: "GetDefaultBundleThatProvides", input: "GetDefaultProviderRequest", output: "Bundle" },
      { name: "ListBundles", input: "ListBundlesRequest", output: "Bundle", streams: "server" },
    ],
    ExperimentalRegistry: [
      {
        name: "ExperimentalListPackageCustomSchemas",
        input: "ExperimentalListPackageCustomSchemasRequest",
        output: ".google.protobuf.Struct",
        streams: "server",
      },
    ],
  },
};

const health: ProtoFile = {
  name: "grpc/health/v1/health.proto",
  package: "grpc.health.v1",
  messages: {
    HealthCheckRequest: "1:service",
    HealthCheckResponse: "1:status:HealthCheckResponse.ServingStatus",
    HealthListRequest: "",
    HealthListResponse: "1:statuses:*HealthListResponse.StatusesEntry",
  },
  maps: { "HealthListResponse.StatusesEntry": "1:key 2:value:HealthCheckResponse" },
  options: {
    javaPackage: "io.grpc.health.v1",
    javaOuterClassname: "HealthProto",
    javaMultipleFiles: true,
    goPackage: "google.golang.org/grpc/health/grpc_health_v1",
    objcClassPrefix: "GrpcHealthV1",
    csharpNamespace: "Grpc.Health.V1",
  },
  enums: { "HealthCheckResponse.ServingStatus": ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] },
  services: {
    Health: [
      { name: "Check", input: "HealthCheckRequest", output: "HealthCheckResponse" },
      { name: "List", input: "HealthListRequest", output: "HealthListResponse" },
      { name: "Watch", input: "HealthCheckRequest", output: "HealthCheckResponse", streams: "server" },
    ],
  },
};

const reflection = (version: string): ProtoFile => ({
  name: `grpc/reflection/${version}/reflection.proto`,
  package: `grpc.reflection.${version}`,
  options: {
    javaPackage: `io.grpc.reflection.${version}`,
    javaOuterClassname: "ServerReflectionProto",
    javaMultipleFiles: true,
    goPackage: `google.golang.org/grpc/reflection/grpc_reflection_${version}`,
    ...(version === "v1alpha" ? { deprecated: true } : {}),
  },
  messages: {
    ServerReflectionRequest:
      "1:host 3:file_by_filename=message_request 4:file_containing_symbol=message_request 5:file_containing_extension:ExtensionRequest=message_request 6:all_extension_numbers_of_type=message_request 7:list_services=message_request",
    ExtensionRequest: "1:containing_type 2:extension_number:int32",
    ServerReflectionResponse:
      "1:valid_host 2:original_request:ServerReflectionRequest 4:file_descriptor_response:FileDescriptorResponse=message_response 5:all_extension_numbers_response:ExtensionNumberResponse=message_response 6:list_services_response:ListServiceResponse=message_response 7:error_response:ErrorResponse=message_response",
    FileDescriptorResponse: "1:file_descriptor_proto:*bytes",
    ExtensionNumberResponse: "1:base_type_name 2:extension_number:*int32",
    ListServiceResponse: "1:service:*ServiceResponse",
    ServiceResponse: "1:name",
    ErrorResponse: "1:error_code:int32 2:error_message",
  },
  services: {
    ServerReflection: [
      {
        name: "ServerReflectionInfo",
        input: "ServerReflectionRequest",
        output: "ServerReflectionResponse",
        streams: "both",
      },
    ],
  },
});

/** All files of the protocol, with their imports. */
export const protocolFiles: readonly FileDescriptorProto[] = [
  file_google_protobuf_struct.proto,
  ...[registry, health, reflection("v1"), reflection("v1alpha")].map(descriptorOf),
];

/** The encoded descriptor of a file, which reflection sends. */
export function descriptorBytes(file: FileDescriptorProto): Uint8Array {
  return toBinary(FileDescriptorProtoSchema, file);
}

function descriptorOf(file: ProtoFile): FileDescriptorProto {
  const full = (name: string): string => (name.startsWith(".") ? name : `.${file.package}.${name}`);
  const fieldOf = ({ number, name, type, isRepeated, group }: ParsedField, groups: readonly string[]) => ({
    name,
    number,
    jsonName: name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    label: isRepeated ? Label.REPEATED : Label.OPTIONAL,
    ...(scalars.has(type)
      ? { type: scalars.get(type) ?? Type.STRING }
      : { type: Object.hasOwn(file.enums ?? {}, type) ? Type.ENUM : Type.MESSAGE, typeName: full(type) }),
    ...(group === undefined ? {} : { oneofIndex: groups.indexOf(group) }),
  });
  return create(FileDescriptorProtoSchema, {
    name: file.name,
    package: file.package,
    dependency: [...(file.imports ?? [])],
    syntax: "proto3",
    options: file.options,
    messageType: Object.entries(file.messages).map(([name, fields]) => {
      const parsed = parseFields(fields);
      const groups = [...new Set(parsed.flatMap(({ group }) => group ?? []))];
      return {
        name,
        field: parsed.map((field) => fieldOf(field, groups)),
        nestedType: Object.entries(file.maps ?? {}).flatMap(([path, entry]) =>
          path.startsWith(`${name}.`)
            ? [
                {
                  name: path.slice(name.length + 1),
                  field: parseFields(entry).map((field) => fieldOf(field, [])),
                  options: { mapEntry: true },
                },
              ]
            : [],
        ),
        oneofDecl: groups.map((group) => ({ name: group })),
        enumType: Object.entries(file.enums ?? {}).flatMap(([path, names]) =>
          path.startsWith(`${name}.`)
            ? [{ name: path.slice(name.length + 1), value: names.map((each, number) => ({ name: each, number })) }]
            : [],
        ),
      };
    }),
    service: Object.entries(file.services).map(([name, methods]) => ({
      name,
      method: methods.map(({ name: method, input, output, streams, deprecated }) => ({
        name: method,
        inputType: full(input),
        outputType: full(output),
        // In upstream's .proto file the methods of the registry have braces, so their options exist even when empty.
        ...(file.package === "api" ? { options: deprecated === true ? { deprecated } : {} } : {}),
        ...(streams === "both" ? { clientStreaming: true } : {}),
        ...(streams === undefined ? {} : { serverStreaming: true }),
      })),
    })),
  });
}

interface ParsedField {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly isRepeated: boolean;
  readonly group: string | undefined;
}

function parseFields(fields: string): readonly ParsedField[] {
  return fields
    .split(" ")
    .filter((field) => field !== "")
    .map(parseField);
}

function parseField(field: string): ParsedField {
  const [declared = "", group] = field.split("=");
  const [number = "", name = "", type = "string"] = declared.split(":");
  return { number: Number(number), name, type: type.replace("*", ""), isRepeated: type.startsWith("*"), group };
}
