declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Names as a validated catalog holds them; the decoder of each document is the only place that casts. */
export type PackageName = Branded<"PackageName">;
export type ChannelName = Branded<"ChannelName">;
export type BundleName = Branded<"BundleName">;
