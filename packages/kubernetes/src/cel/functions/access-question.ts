/** Answers for one subject what it may do. */
export interface AccessAsker {
  decide(question: AccessQuestion, verb: string): { readonly allowed: boolean; readonly reason: string };
  /** The same for a service account. */
  forAccount(namespace: string, name: string): AccessAsker;
  /** The question that the request itself asks. */
  readonly request: Omit<AccessQuestion, "asker">;
}

/** A question that an expression puts together step by step; `path` where it is about no resource. */
export interface AccessQuestion {
  readonly asker: AccessAsker;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}
