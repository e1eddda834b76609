// `npm start` runs hundreds of TypeScript files: from the second start on their stripped and compiled code is reused.
import { enableCompileCache } from "node:module";

enableCompileCache();
