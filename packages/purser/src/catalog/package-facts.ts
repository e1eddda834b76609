import type { ChannelName, PackageName } from "./names.ts";

/** The head of a channel, as far as lists need it. */
export interface ChannelFacts {
  readonly name: ChannelName;
  /** Version of its head as written; "" when the channel has no single head. */
  readonly version: string;
  readonly deprecation?: string;
}

/**
 * What a list of packages shows and search reads: names of the package, and what the ClusterServiceVersion at the head
 * of its default channel says. Texts are "" where the catalog says nothing.
 */
export interface PackageFacts {
  readonly name: PackageName;
  readonly displayName: string;
  readonly provider: string;
  readonly keywords: readonly string[];
  /** Kinds that the head provides, each once. */
  readonly kinds: readonly string[];
  /** Annotation `capabilities`, such as `Deep Insights`. */
  readonly capability: string;
  /** Short description of the package, then the beginning of the long one. */
  readonly description: string;
  readonly deprecation?: string;
  readonly defaultChannel: ChannelName;
  /** By name. */
  readonly channels: readonly ChannelFacts[];
}
