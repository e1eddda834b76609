import type { JsonValue } from "@purser/kubernetes/json";

/** One change of one document, in terms of its values; the text around stays as it is. */
export type Edit =
  | {
      readonly kind: "setMember";
      readonly file: string;
      readonly document: number;
      /** The object; an existing member gets the new value, a missing one is added behind `after`. */
      readonly pointer: string;
      readonly key: string;
      readonly value: string;
      readonly after: string;
    }
  | { readonly kind: "removeMember"; readonly file: string; readonly document: number; readonly pointer: string }
  /** The item of a list. A list that would become empty is removed with its key. */
  | { readonly kind: "removeItem"; readonly file: string; readonly document: number; readonly pointer: string }
  /** At the end of the list that is a member of the object at `pointer`; the list is created when it is absent. */
  | {
      readonly kind: "appendItem";
      readonly file: string;
      readonly document: number;
      readonly pointer: string;
      readonly key: string;
      readonly value: JsonValue;
      readonly after: string;
    }
  /** The separator behind a document without content. */
  | { readonly kind: "joinDocument"; readonly file: string; readonly document: number };
