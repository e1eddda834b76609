export { type ImageReference, parseImageReference } from "../image-reference.ts";
