import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { done, type Result } from "@purser/kubernetes/result";
import type { ImageTarget, TargetReference } from "../../image/build/image-target.ts";
import { archiveTarget, layoutTarget } from "../../image/build/layout-writer.ts";
import { registryTarget } from "../../image/build/registry-target.ts";
import type { ImageProblem } from "../../image/image-problem.ts";

/** Opens what a reference names, with the credentials of the machine; close it after use. */
export async function openTarget(
  parsed: TargetReference,
  reference: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Result<ImageTarget, ImageProblem>> {
  switch (parsed.kind) {
    case "layout":
      return done(layoutTarget(parsed.path, reference));
    case "archive":
      return done(archiveTarget(parsed.path, reference));
    case "registry": {
      // Loads the HTTP client, which layouts do not need.
      const { createRegistries } = await import("../../image/registry/registries.ts");
      const registries = createRegistries({ clock: systemClock, entropy: systemEntropy, environment });
      const writer = registries.openWriter({ reference, credentials: [] });
      if (writer.ok) return done({ ...registryTarget(writer.value), close: () => registries.close() });
      await registries.close();
      return writer;
    }
  }
}
