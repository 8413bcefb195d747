/** The pages' style under a name that changes with its content. */
import { createHash } from "node:crypto";
import { STYLE } from "./style.ts";

const hash = createHash("sha256").update(STYLE).digest("hex").slice(0, 12);

export const STYLE_ASSET = { path: `/docs/-assets/docs-${hash}.css`, text: STYLE } as const;
