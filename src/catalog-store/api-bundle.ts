import type { ApiRef } from "../catalog/catalog-index.ts";
import type { RegistryBundle, TypedText } from "../catalog/registry-bundle.ts";
import { bytesField, item, message, nothing, text } from "./message-writer.ts";

/** A membership of a bundle in a channel, as its entry and the deprecations of the package have it. */
export interface Membership {
  readonly package: string;
  readonly channel: string;
  readonly bundle: string;
  readonly replaces?: string;
  readonly skips: readonly string[];
  readonly skipRange?: string;
  readonly deprecation?: string;
}

/**
 * The message `api.Bundle` of one membership in four parts; one behind the other they are the message without
 * `csvJson` and `object`, which stand between head and body when they are sent.
 */
export interface BundleParts {
  /** Fields 1 to 3: names. */
  readonly head: Uint8Array;
  /** Fields 6 to 12: image, APIs, version, skip range, dependencies, properties. */
  readonly body: Uint8Array;
  /** Fields 13 and 14: replaces and skips. */
  readonly links: Uint8Array;
  /** Field 15: deprecation. */
  readonly tail: Uint8Array;
}

export function bundleParts(bundle: RegistryBundle, membership: Membership): BundleParts {
  return {
    head: message(text(1, membership.bundle), text(2, membership.package), text(3, membership.channel)),
    body: message(
      text(6, bundle.image),
      ...bundle.provides.map((api) => bytesField(7, apiMessage(api))),
      ...bundle.requires.map((api) => bytesField(8, apiMessage(api))),
      text(9, bundle.version),
      text(10, membership.skipRange ?? ""),
      ...bundle.dependencies.map((dependency) => bytesField(11, typedMessage(dependency))),
      ...bundle.properties.map((property) => bytesField(12, typedMessage(property))),
    ),
    links: message(text(13, membership.replaces ?? ""), ...membership.skips.map((skip) => item(14, skip))),
    tail: message(
      membership.deprecation === undefined ? nothing : bytesField(15, message(text(1, membership.deprecation))),
    ),
  };
}

function apiMessage({ group, version, kind }: ApiRef): Uint8Array {
  return message(text(1, group), text(2, version), text(3, kind));
}

function typedMessage({ type, value }: TypedText): Uint8Array {
  return message(text(1, type), text(2, value));
}
