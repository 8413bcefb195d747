import { DurableObject } from "cloudflare:workers";

/** The slot and quota counter of one account and interface (design 5). */
export class Gate extends DurableObject {}
