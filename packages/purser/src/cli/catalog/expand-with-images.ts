import { failed } from "@purser/kubernetes/result";
import type { Expansion, RenderReference } from "../../catalog/template/template.ts";

/** As `RenderReference`, for references that have to be pulled. */
export type FetchReference = (reference: string) => Promise<ReturnType<RenderReference>>;

/**
 * Expands a template whose references are rendered asynchronously, each once. The expansion itself is synchronous, so it is
 * run again whenever it stopped at a reference that was not rendered yet.
 */
export async function expandWithImages(
  expandWith: (render: RenderReference) => Expansion,
  fetch: FetchReference,
): Promise<Expansion> {
  const rendered = new Map<string, ReturnType<RenderReference>>();
  for (;;) {
    const wanted = new Set<string>();
    const expansion = expandWith((reference) => {
      const known = rendered.get(reference);
      if (known === undefined) wanted.add(reference);
      return known ?? failed("");
    });
    if (wanted.size === 0) return expansion;
    for (const reference of wanted) rendered.set(reference, await fetch(reference));
  }
}
