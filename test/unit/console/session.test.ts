import { describe, expect, it } from "vitest";
import { newPress, sessionCookie, sessionTokens } from "../../../src/console/session.ts";
import { chooseLook, lookOf } from "../../../src/pages/look.ts";

const request = (headers: Record<string, string>, path = "/console/") =>
  new Request(`https://api.example.com${path}`, { headers });

describe("the session's cookie", () => {
  const sent = (cookie: string, scheme = "https") =>
    sessionTokens(new Request(`${scheme}://api.example.com/console/`, { headers: { cookie } }));

  it("is found among other cookies, and no other cookie is accepted", () => {
    const token = newPress();
    const [pair] = sessionCookie(token, { endMs: 0, secure: true }).split(";");
    expect(sent(`a=b; ${pair}; c=d`)).toEqual([token]);
    const others = ["", "__Host-edgetape_console=", `x${pair}`, `${pair}0`, "__Host-edgetape_console=a b"];
    for (const other of others) expect(sent(other)).toEqual([]);
    expect(sessionTokens(request({}))).toEqual([]);
  });

  it("is Secure with the __Host- prefix on https only, and always HttpOnly, SameSite and without a domain", () => {
    const token = newPress();
    const end = "Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax";
    const [secure, plain] = [true, false].map((each) => sessionCookie(token, { endMs: 0, secure: each }));
    expect(secure).toBe(`__Host-edgetape_console=${token}; Path=/; ${end}; Secure`);
    expect(plain).toBe(`edgetape_console=${token}; Path=/console; ${end}`);
    expect(sent(`edgetape_console=${token}`)).toEqual([]);
    expect(sent(`__Host-edgetape_console=${token}`, "http")).toEqual([]);
  });
});

describe("language and theme", () => {
  it("follow the browser until one is chosen, and default to Chinese", () => {
    expect(lookOf(request({}), "both")).toEqual({ language: "zh", theme: "auto" });
    expect(lookOf(request({}), "en")).toEqual({ language: "en", theme: "auto" });
    expect(lookOf(request({ cookie: "edgetape_look=zh.dark" }), "en")).toEqual({
      language: "zh",
      theme: "dark",
    });
    expect(lookOf(request({ cookie: "edgetape_look=xx.yy" }), "en")).toEqual({
      language: "en",
      theme: "auto",
    });
  });

  it("are chosen by a URL that sets a cookie and redirects to the same page", () => {
    const look = { language: "zh", theme: "auto" } as const;
    const answer = chooseLook(request({}, "/console/data?year=2025&theme=dark"), look);
    expect(answer?.headers.get("Location")).toBe("/console/data?year=2025");
    expect(answer?.headers.get("Set-Cookie")).toContain("edgetape_look=zh.dark");
    expect(chooseLook(request({}, "/console/?year=2025"), look)).toBeNull();
  });
});
