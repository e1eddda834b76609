import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { Images } from "../../image/images.ts";
import type { Invocation } from "../command.ts";
import { pullReport } from "./transfer-events.ts";

/**
 * The same images, for a command that goes on pulling after its first image: a pull that has to fetch something is reported as that
 * one was. What is held is not reported, nor is a look at a tag.
 */
export function reportedImages(images: Images, invocation: Invocation): Images {
  return {
    resolve: (request, options) => images.resolve(request, options),
    size: (request, options) => images.size(request, options),
    held: (digest, wanted) => images.held(digest, wanted),
    collect: (inUse) => images.collect(inUse),
    close: () => images.close(),
    async pull(request, options) {
      const { digest, wanted } = request;
      if (digest !== undefined && images.held(digest, wanted) !== undefined) return images.pull(request, options);
      try {
        return await images.pull(request, { ...options, onProgress: pullReport(invocation, systemClock) });
      } finally {
        invocation.terminal.progress("");
      }
    },
  };
}
