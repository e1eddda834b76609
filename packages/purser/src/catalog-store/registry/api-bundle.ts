import type { ApiRef } from "../../catalog/catalog-index.ts";
import type { RegistryFacts, TypedText } from "../../catalog/registry-bundle.ts";
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

/** Lengths of head, body, links and tail of a message. */
export type PartLengths = readonly [head: number, body: number, links: number, tail: number];

/** A bundle, encoded once for all its memberships. */
export class EncodedBundle {
  /** Fields 6 to 9: image, APIs, version. */
  readonly #front: Uint8Array;
  /** Fields 11 and 12: dependencies, properties. */
  readonly #back: Uint8Array;

  constructor(bundle: RegistryFacts) {
    this.#front = message(
      text(6, bundle.image),
      ...bundle.provides.map((api) => bytesField(7, apiMessage(api))),
      ...bundle.requires.map((api) => bytesField(8, apiMessage(api))),
      text(9, bundle.version),
    );
    this.#back = message(
      ...bundle.dependencies.map((dependency) => bytesField(11, typedMessage(dependency))),
      ...bundle.properties.map((property) => bytesField(12, typedMessage(property))),
    );
  }

  /**
   * The message `api.Bundle` of one membership in four parts: head (fields 1 to 3), body (6 to 12), links (13 and 14:
   * replaces and skips) and tail (15: deprecation). `csvJson` and `object` stand between head and body when they are sent.
   */
  in(membership: Membership): { readonly message: Uint8Array; readonly lengths: PartLengths } {
    const { deprecation, skipRange } = membership;
    const head = message(text(1, membership.bundle), text(2, membership.package), text(3, membership.channel));
    const range = message(text(10, skipRange ?? ""));
    const links = message(text(13, membership.replaces ?? ""), ...membership.skips.map((skip) => item(14, skip)));
    const tail = message(deprecation === undefined ? nothing : bytesField(15, message(text(1, deprecation))));
    const body = this.#front.length + range.length + this.#back.length;
    return {
      message: Buffer.concat([head, this.#front, range, this.#back, links, tail]),
      lengths: [head.length, body, links.length, tail.length],
    };
  }
}

function apiMessage({ group, version, kind }: ApiRef): Uint8Array {
  return message(text(1, group), text(2, version), text(3, kind));
}

function typedMessage({ type, value }: TypedText): Uint8Array {
  return message(text(1, type), text(2, value));
}
