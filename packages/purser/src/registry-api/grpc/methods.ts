import type { ChannelSummary, PackageSummary } from "../../catalog/catalog-index.ts";
import type { StoredIndex } from "../../catalog-store/open.ts";
import { bytesField, message, nothing, text } from "../../catalog-store/registry/message-writer.ts";
import { done, failed, type Result } from "@purser/kubernetes/result";
import {
  type ChannelEntry,
  entriesProviding,
  entriesReplacing,
  findBundle,
  findDefaultProvider,
  findHead,
  findPackage,
  findReplacement,
  latestEntriesProviding,
  type WantedApi,
} from "../registry-queries.ts";
import { customBlobs } from "./custom-schemas.ts";
import type { RequestFields } from "./request-fields.ts";

/** The error status of a refused request, with the name of its gRPC code. */
export interface Refusal {
  readonly code: "UNKNOWN" | "INVALID_ARGUMENT" | "UNIMPLEMENTED";
  readonly message: string;
}

/** The input of a method. */
export interface MethodCall {
  readonly index: StoredIndex;
  readonly request: RequestFields;
  /** Values of a metadata key. */
  readonly metadata: (key: string) => readonly string[];
}

/** A unary or server-streaming method; it returns encoded messages. */
export type Method =
  | { readonly streams: false; answer(call: MethodCall): Result<Uint8Array, Refusal> }
  | { readonly streams: true; answer(call: MethodCall): Result<Iterable<Uint8Array>, Refusal> };

/** The methods of `api.Registry`. Upstream refuses with plain errors, which gRPC shows as Unknown. */
export const registryMethods: Readonly<Record<string, Method>> = {
  ListPackages: {
    streams: true,
    answer: ({ index }) => done(index.packages().map((name) => message(text(1, name)))),
  },
  GetPackage: one(({ index, request }) => {
    const found = findPackage(index, request.text(1));
    return found.ok ? done(packageMessage(found.value)) : found;
  }),
  GetBundle: one(({ index, request }) => findBundle(index, request.text(1), request.text(2), request.text(3))),
  GetBundleForChannel: one(({ index, request }) => findHead(index, request.text(1), request.text(2))),
  GetBundleThatReplaces: one(({ index, request }) =>
    findReplacement(index, request.text(2), request.text(3), request.text(1)),
  ),
  GetDefaultBundleThatProvides: one(({ index, request }) => findDefaultProvider(index, apiIn(request))),
  GetChannelEntriesThatReplace: entries(({ index, request }) => entriesReplacing(index, request.text(1))),
  GetChannelEntriesThatProvide: entries(({ index, request }) => entriesProviding(index, apiIn(request))),
  GetLatestChannelEntriesThatProvide: entries(({ index, request }) => latestEntriesProviding(index, apiIn(request))),
  ListBundles: { streams: true, answer: ({ index }) => done(index.listedBundles()) },
};

/** The methods of `api.ExperimentalRegistry`. */
export const experimentalMethods: Readonly<Record<string, Method>> = {
  ExperimentalListPackageCustomSchemas: {
    streams: true,
    answer: ({ index, request, metadata }) => {
      if (!metadata("x-acknowledge-experimental").includes("true")) return done([]);
      const found = customBlobs(index, { schema: request.text(1), packageName: request.text(2) });
      return found.ok ? found : failed({ code: "INVALID_ARGUMENT", message: found.problem });
    },
  },
};

const serving = new Uint8Array([0x08, 0x01]);

/** The methods of `grpc.health.v1.Health`: every service is reported as serving. */
export const healthMethods: Readonly<Record<string, Method>> = {
  Check: { streams: false, answer: () => done(serving) },
  List: {
    streams: false,
    answer: () => failed({ code: "UNIMPLEMENTED", message: "method List not implemented" }),
  },
  Watch: {
    streams: true,
    answer: () => failed({ code: "UNIMPLEMENTED", message: "method Watch not implemented" }),
  },
};

function one(find: (call: MethodCall) => Result<Uint8Array, string>): Method {
  return {
    streams: false,
    answer: (call) => {
      const found = find(call);
      return found.ok ? found : failed({ code: "UNKNOWN", message: found.problem });
    },
  };
}

function entries(find: (call: MethodCall) => Result<readonly ChannelEntry[], string>): Method {
  return {
    streams: true,
    answer: (call) => {
      const found = find(call);
      return found.ok ? done(found.value.map(entryMessage)) : failed({ code: "UNKNOWN", message: found.problem });
    },
  };
}

function apiIn(request: RequestFields): WantedApi {
  return { group: request.text(1), version: request.text(2), kind: request.text(3) };
}

function entryMessage({ package: packageName, channel, bundle, replaces }: ChannelEntry): Uint8Array {
  return message(text(1, packageName), text(2, channel), text(3, bundle), text(4, replaces));
}

function packageMessage({ name, channels, defaultChannel, deprecation }: PackageSummary): Uint8Array {
  return message(
    text(1, name),
    ...channels.map((channel) => bytesField(2, channelMessage(channel))),
    text(3, defaultChannel),
    deprecated(4, deprecation),
  );
}

function channelMessage({ name, head, deprecation }: ChannelSummary): Uint8Array {
  return message(text(1, name), text(2, head ?? ""), deprecated(3, deprecation));
}

function deprecated(number: number, deprecation: string | undefined): ReturnType<typeof text> {
  return deprecation === undefined ? nothing : bytesField(number, message(text(1, deprecation)));
}
