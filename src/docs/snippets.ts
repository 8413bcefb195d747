/**
 * Every code block of the pages, the same in both languages. `test/interop/docs-snippets.long.test.ts` runs them in
 * this order in one folder, with EDGETAPE_URL and EDGETAPE_KEY set. It leaves out the blocks of the tutorial and of the
 * page about a day, which need the demo. `withExample` fills in the placeholders in braces.
 */

import { DAY } from "./day-snippets.ts";
import { TUTORIAL } from "./tutorial-snippets.ts";

export interface Snippet {
  language: "sh" | "python" | "typescript" | "sql" | "json";
  /** The Python modules that the block needs besides the standard library and `edgetape`. */
  needs?: readonly string[];
  text: string;
  /** The block's output, formatted for people; `…` stands for parts that vary. Absent when the block prints nothing. */
  prints?: string;
}

const SNIPPETS_BY_NAME = {
  environment: {
    language: "sh",
    text: `export EDGETAPE_URL={base}
export EDGETAPE_KEY=et_...`,
  },
  request: {
    language: "json",
    text: `{
  "apiname": "level2_order_history",
  "apikey": "et_...",
  "params": {"symbol": "600519", "tradedate": "{day}",
             "start_time": "09:30", "end_time": "09:31"},
  "fields": "time,order_type,price,volume"
}`,
  },
  answer: {
    language: "json",
    text: `{
  "code": 200,
  "message": "success",
  "data": {
    "fields": ["time", "order_type", "price", "volume"],
    "items": [["093000000", "A", 1500, 100], ["093000000", "A", 1499.99, 200]],
    "tradedate": "{day}",
    "page_size": 10000,
    "next_cursor": null,
    "has_more": false
  }
}`,
  },
  curl_page: {
    language: "sh",
    text: `curl -s --compressed "$EDGETAPE_URL/api" -H 'Content-Type: application/json' -d '{
  "apiname": "level2_order_history", "apikey": "'"$EDGETAPE_KEY"'",
  "params": {"symbol": "600519", "tradedate": "{day}", "page_size": 5}}'`,
    prints: `{
  "code": 200,
  "message": "success",
  "data": {
    "fields": ["symbol", "tradedate", "time", "order_id", "exchange_order_id",
               "order_type", "order_code", "price", "volume", "amount"],
    "items": [
      ["600519", "{day}", "091500000", 0, 0, "S", "OCALL", 0, 0, 0],
      ["600519", "{day}", "093000000", 7, 12, "A", "B", 1500, 100, 150000],
      ["600519", "{day}", "093000000", 7, 13, "A", "S", 1499.99, 200, 299998],
      ["600519", "{day}", "093000010", 7, 12, "D", "B", 1500, 60, 90000]
    ],
    "tradedate": "{day}",
    "page_size": 5,
    "next_cursor": null,
    "has_more": false
  }
}`,
  },
  curl_file: {
    language: "sh",
    text: `curl -fsS "$EDGETAPE_URL/api" -o orders.parquet -d '{
  "apiname": "level2_order_history", "apikey": "'"$EDGETAPE_KEY"'",
  "params": {"symbol": "600519", "tradedate": "{day}", "format": "parquet"}}'`,
  },
  duckdb: {
    language: "sql",
    text: `SELECT left(time, 4) AS minute, count(*) AS orders, sum(amount) AS yuan
FROM 'orders.parquet'
WHERE order_type = 'A'
GROUP BY minute ORDER BY minute;`,
    prints: `┌────────┬────────┬──────────┐
│ minute │ orders │   yuan   │
├────────┼────────┼──────────┤
│ 0930   │      2 │ 449998.0 │
└────────┴────────┴──────────┘`,
  },
  pandas: {
    language: "python",
    needs: ["pandas", "pyarrow"],
    text: `import pandas

orders = pandas.read_parquet("orders.parquet")
day_and_time = orders["tradedate"] + orders["time"]
orders["at"] = pandas.to_datetime(day_and_time, format="%Y%m%d%H%M%S%f")
print(orders.set_index("at").resample("1min")["volume"].sum().tail(2))`,
    prints: `at
{date} 09:29:00      0
{date} 09:30:00    360
Freq: min, Name: volume, dtype: int64`,
  },
  polars: {
    language: "python",
    needs: ["polars"],
    text: `import polars

orders = polars.scan_parquet("orders.parquet")
new = orders.filter(polars.col("order_type").is_in(["A", "0", "1", "U"]))
by_code = new.group_by("order_code").agg(polars.col("volume").sum(), polars.len())
print(by_code.sort("order_code").collect())`,
    prints: `shape: (2, 3)
┌────────────┬────────┬─────┐
│ order_code ┆ volume ┆ len │
│ ---        ┆ ---    ┆ --- │
│ str        ┆ i64    ┆ u32 │
╞════════════╪════════╪═════╡
│ B          ┆ 100    ┆ 1   │
│ S          ┆ 200    ┆ 1   │
└────────────┴────────┴─────┘`,
  },
  python_rows: {
    language: "python",
    text: `import edgetape

client = edgetape.Client()  # EDGETAPE_KEY and EDGETAPE_URL
for row in client.orders("600519", "{day}", start="09:30", end="09:31"):
    print(row)`,
    prints: `('600519', '{day}', '093000000', 7, 12, 'A', 'B', 1500.0, 100, 150000.0)
('600519', '{day}', '093000000', 7, 13, 'A', 'S', 1499.99, 200, 299998.0)
('600519', '{day}', '093000010', 7, 12, 'D', 'B', 1500.0, 60, 90000.0)`,
  },
  python_frame: {
    language: "python",
    needs: ["pandas"],
    text: `import edgetape

frame = edgetape.Client().orders("600519", "{day}").to_df()
print(frame[["time", "price", "volume"]].head())`,
    prints: `                     time    price  volume
0 {date} 09:15:00.000     0.00       0
1 {date} 09:30:00.000  1500.00     100
2 {date} 09:30:00.000  1499.99     200
3 {date} 09:30:00.010  1500.00      60`,
  },
  typescript_rows: {
    language: "typescript",
    text: `import { Client } from "edgetape-client";

const { EDGETAPE_KEY: key = "", EDGETAPE_URL: baseUrls = "" } = process.env;
const client = new Client({ key, baseUrls });
const minute = { symbol: "600519", date: "{day}", start: "09:30", end: "09:31" };
for await (const row of client.orders(minute)) {
  console.log(row.time, row.order_code, row.price, row.volume);
}`,
    prints: `093000000 B 1500 100
093000000 S 1499.99 200
093000010 B 1500 60`,
  },
  typescript_errors: {
    language: "typescript",
    text: `import { Client, NoData, QuotaUsed } from "edgetape-client";

const { EDGETAPE_KEY: key = "", EDGETAPE_URL: baseUrls = "" } = process.env;
const client = new Client({ key, baseUrls });
const signal = AbortSignal.timeout(60_000);
const orders = client.orders({ symbol: "600519", date: "{day}", signal });
try {
  console.log((await orders.toArray()).length);
} catch (error) {
  if (error instanceof QuotaUsed) console.log("continue after", error.resetsAt);
  else if (error instanceof NoData) console.log(error.reason, error.requestId);
  else throw error;
}`,
    prints: `4`,
  },
  paging: {
    language: "python",
    text: `import csv, gzip, json, os, sys, time, urllib.error, urllib.request

url, key = os.environ["EDGETAPE_URL"] + "/api", os.environ["EDGETAPE_KEY"]

def text_of(answer):
    data, coding = answer.read(), answer.headers["Content-Encoding"]
    return (gzip.decompress(data) if coding == "gzip" else data).decode()

def ask(params):
    body = {"apiname": "level2_order_history", "apikey": key, "params": params}
    headers = {"Content-Type": "application/json", "User-Agent": "paging/1",
               "Accept-Encoding": "gzip"}
    for attempt in range(10):
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                answer = json.loads(text_of(response))
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or "Retry-After" not in error.headers:
                sys.exit(text_of(error))
            time.sleep(int(error.headers["Retry-After"]))
            continue
        if answer["code"] == 200:
            return answer["data"]
        sys.exit(answer["message"])
    sys.exit("still busy after ten requests")

rows, params = csv.writer(sys.stdout), {"symbol": "600519", "tradedate": "{day}"}
while True:
    page = ask(params)
    rows.writerows(page["items"])
    if not page["has_more"]:
        break
    params["cursor"] = page["next_cursor"]`,
    prints: `600519,{day},091500000,0,0,S,OCALL,0,0,0
600519,{day},093000000,7,12,A,B,1500,100,150000
600519,{day},093000000,7,13,A,S,1499.99,200,299998
600519,{day},093000010,7,12,D,B,1500,60,90000`,
  },
  estimate: {
    language: "sh",
    text: `curl -s --compressed "$EDGETAPE_URL/api" -d '{
  "apiname": "order_history_estimate", "apikey": "'"$EDGETAPE_KEY"'",
  "params": {"symbol": "600519", "tradedate": "{day}"}}'`,
    prints: `{
  "code": 200,
  "message": "success",
  "data": {
    "symbol": "600519", "market": "SH", "tradedate": "{day}", "revision": 1,
    "start_time": "000000000", "end_time": "240000000",
    "rows": {"at_least": 4, "at_most": 4},
    "page_size": 10000,
    "pages": {"at_least": 1, "at_most": 1},
    "parquet_bytes": …,
    "cost": {
      "json": {"requests": {"at_least": 1, "at_most": 1}},
      "parquet": {"requests": 1, "files": 1}
    },
    "left_today": {"requests": null, "files": …},
    "resets_in": …,
    "whole_day": {"securities": …, "quota_days": …, "in_share": true}
  }
}`,
  },
  account: {
    language: "sh",
    text: `curl -s --compressed "$EDGETAPE_URL/api" -d '{
  "apiname": "account_info", "apikey": "'"$EDGETAPE_KEY"'", "params": {}}'`,
    prints: `{
  "code": 200,
  "message": "success",
  "data": {
    "account_id": "…", "key_id": "…",
    "plan": "flagship", "plan_state": "active", "plan_ends_at": "…",
    "windows": {
      "level2_order_history": {"from": null, "to": "…"},
      "level2_trade_history": {"from": null, "to": "…"},
      "level2_quote_history": {"from": null, "to": "…"},
      "auction_tick": {"from": null, "to": "…"},
      "level2": {"from": null, "to": "…"}
    },
    "quotas": [{
      "interface": "level2_order_history", "day": "…",
      "requests": {"limit": null, "used": …, "credited": 0, "left": null},
      "files": {"limit": 300, "used": …, "credited": 0, "left": …},
      "resets_in": …, "busy": false
    }, {
      "interface": "level2_trade_history", "day": "…",
      "requests": {"limit": null, "used": 0, "credited": 0, "left": null},
      "files": {"limit": 300, "used": 0, "credited": 0, "left": 300},
      "resets_in": …, "busy": false
    }, …],
    "last_requests": […]
  }
}`,
  },
  share: {
    language: "python",
    text: `import edgetape

share = edgetape.Client().share("auction_tick", {quotes_year})
print(share.start_date, share.end_date, share.file_count, share.url)
share.download("auction-{quotes_year}")  # again: only what is missing or new`,
    prints: `{quotes_day} {quotes_day} 1 {base}/s/…/`,
  },
  curl_share: {
    language: "sh",
    text: `ANSWER=$(curl -s "$EDGETAPE_URL/api" -d '{
  "apiname": "file_download", "apikey": "'"$EDGETAPE_KEY"'",
  "params": {"data_type": "level2", "year": {year}}}')
URL=$(printf %s "$ANSWER" | sed 's/.*"url":"\\([^"]*\\)".*/\\1/')
PASSWORD=$(printf %s "$ANSWER" | sed 's/.*"password":"\\([^"]*\\)".*/\\1/')
ID=$(basename "$URL")
curl -fsS -u "$ID:$PASSWORD" -O "\${URL}{day}/by-symbol/600519.SH.parquet"`,
  },
  auction_curve: {
    language: "python",
    needs: ["pandas", "pyarrow"],
    text: `import pandas

auction = pandas.read_parquet("auction-{quotes_year}/{quotes_day}/{quotes_day}_aucde.parquet")
one = auction[(auction["symbol"] == "600519") & (auction["exchange"] == "SH")]
print(one.set_index("time")[["m_price", "auc_volume", "um_volume", "um_side"]])`,
    prints: `m_price  auc_volume  um_volume um_side
time
…`,
  },
  typescript_share: {
    language: "typescript",
    text: `import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Client } from "edgetape-client";

const { EDGETAPE_KEY: key = "", EDGETAPE_URL: baseUrls = "" } = process.env;
const client = new Client({ key, baseUrls });
const share = await client.share("auction_tick", {quotes_year});
for (const file of (await share.files()).slice(0, 1)) {
  const path = file.path.replace("/", "-");
  await pipeline(share.download(file), createWriteStream(path)); // verifies it
}`,
  },
  changes: {
    language: "python",
    text: `import edgetape

for change in edgetape.Client().changes(since="{month}01"):
    print(change["tradedate"], change["kind"], change["revision"])`,
    prints: `{day} published 1`,
  },
  sync: {
    language: "python",
    text: `import edgetape

report = edgetape.Client().sync(["600519"], "{day}", "{day}", "orders")
print(report)`,
    prints: `fetched 1, kept 0, without rows 0`,
  },
  python_trades: {
    language: "python",
    text: `import edgetape

client = edgetape.Client()
asked = {"start": "09:30", "end": "09:31", "fields": "time,price,volume,bs_flag"}
for row in client.trades("600519", "{trades_day}", **asked):
    print(row)`,
    prints: `('093000000', 1500.0, 100, 'B')
('093000000', 1499.99, 200, 'S')
('093000010', 1500.0, 60, 'B')`,
  },
  typescript_trades: {
    language: "typescript",
    text: `import { Client } from "edgetape-client";

const { EDGETAPE_KEY: key = "", EDGETAPE_URL: baseUrls = "" } = process.env;
const client = new Client({ key, baseUrls });
const minute = { symbol: "600519", date: "{trades_day}", start: "09:30", end: "09:31" };
for await (const { time, price, volume, bs_flag } of client.trades(minute)) {
  console.log(time, price, volume, bs_flag);
}`,
    prints: `093000000 1500 100 B
093000000 1499.99 200 S
093000010 1500 60 B`,
  },
  python_basket: {
    language: "python",
    text: `import edgetape

basket = edgetape.Client().orders(["600519", "300750"], "{day}", "{day}")
print(basket.plan())
for row in basket:
    print(row)
print(basket.empty)`,
    prints: `2 security days on 1 days: 4 rows in 1 requests, unlimited requests: done today; sync takes 1 files instead (… left)
('600519', '{day}', '091500000', 0, 0, 'S', 'OCALL', 0.0, 0, 0.0)
('600519', '{day}', '093000000', 7, 12, 'A', 'B', 1500.0, 100, 150000.0)
('600519', '{day}', '093000000', 7, 13, 'A', 'S', 1499.99, 200, 299998.0)
('600519', '{day}', '093000010', 7, 12, 'D', 'B', 1500.0, 60, 90000.0)
[('300750', '{day}')]`,
  },
  typescript_basket: {
    language: "typescript",
    text: `import { Client } from "edgetape-client";

const { EDGETAPE_KEY: key = "", EDGETAPE_URL: baseUrls = "" } = process.env;
const client = new Client({ key, baseUrls });
const symbols = ["600519", "300750"];
const basket = client.orders({ symbols, startDate: "{day}", endDate: "{day}" });
const { requests, filesLeft, quotaDays, hint } = await basket.plan();
console.log(requests, filesLeft, quotaDays, hint);
for await (const page of basket.pages()) console.log(page.tradedate, page.items.length);`,
    prints: `1 … 1 null
{day} 4`,
  },
  python_history: {
    language: "python",
    text: `import edgetape

report = edgetape.Client().history(["600519"], "{day}", "{day}", "history")
print(report)  # then read_history("history", "600519") is one frame`,
    prints: `fetched 1, kept 0, without rows 0`,
  },
  pack: {
    language: "sql",
    text: `SELECT symbol, count(*) AS orders, min(time), max(time)
FROM '{day}_orders.parquet'
GROUP BY symbol ORDER BY orders DESC LIMIT 10;`,
    prints: `┌─────────┬────────┬─────────────┬─────────────┐
│ symbol  │ orders │  min(time)  │  max(time)  │
├─────────┼────────┼─────────────┼─────────────┤
│ 600519  │      4 │ 091500000   │ 093000010   │
└─────────┴────────┴─────────────┴─────────────┘`,
  },
} as const satisfies Record<string, Snippet>;

const ALL = { ...SNIPPETS_BY_NAME, ...DAY, ...TUTORIAL };

export type SnippetName = keyof typeof ALL;

export const SNIPPETS: Readonly<Record<SnippetName, Snippet>> = ALL;
