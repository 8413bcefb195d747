import { describe, expect, it } from "vitest";
import {
  formTokenOf,
  isSameOrigin,
  newPress,
  sessionCookie,
  sessionTokens,
} from "../../../src/console/session.ts";
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
    for (const wrong of [
      "",
      "__Host-edgetape_console=",
      `x${pair}`,
      `${pair}0`,
      "__Host-edgetape_console=a b",
    ]) {
      expect(sent(wrong)).toEqual([]);
    }
    expect(sessionTokens(request({}))).toEqual([]);
  });

  it("is read with all its values, in order, if it is sent several times", () => {
    const tokens = [newPress(), newPress()];
    expect(sent(tokens.map((token) => `__Host-edgetape_console=${token}`).join("; "))).toEqual(tokens);
    const plain = tokens.map((token) => `edgetape_console=${token}`).join(";");
    expect(sent(`edgetape_console=bogus; ${plain}`, "http")).toEqual(tokens);
  });

  it("has the __Host- prefix on https, and a cookie without the prefix is ignored on https", () => {
    const token = newPress();
    expect(sessionCookie(token, { endMs: 0, secure: true })).toMatch(
      /^__Host-edgetape_console=[^;]*; Path=\/;/,
    );
    expect(sent(`edgetape_console=${token}`)).toEqual([]);
    expect(sent(`__Host-edgetape_console=${token}`, "http")).toEqual([]);
    expect(sessionCookie(token, { endMs: 0, secure: false })).toMatch(
      /^edgetape_console=[^;]*; Path=\/console;/,
    );
  });

  it("is HttpOnly, SameSite, and Secure on https", () => {
    const cookie = sessionCookie("x", { endMs: 0, secure: true });
    for (const part of ["HttpOnly", "SameSite=Lax", "Secure"]) expect(cookie).toContain(part);
    expect(cookie).not.toContain("Domain");
    expect(sessionCookie("x", { endMs: 0, secure: false })).not.toContain("Secure");
  });

  it("determines a form token, which differs for every session", async () => {
    const [one, other] = [newPress(), newPress()];
    expect(await formTokenOf(one)).toBe(await formTokenOf(one));
    expect(await formTokenOf(one)).not.toBe(await formTokenOf(other));
    expect(await formTokenOf(one)).not.toContain(one);
  });
});

describe("the check of a form's origin", () => {
  it.each([
    ["https://api.example.com", true],
    ["http://api.example.com", false],
    ["https://api.example.com.evil.example", false],
    ["null", false],
  ])("answers the Origin %s with %s", (origin, own) => {
    expect(isSameOrigin(request({ origin }))).toBe(own);
  });

  it("refuses a request without an Origin header", () => {
    expect(isSameOrigin(request({}))).toBe(false);
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
