"""What the tokens of public services look like: prefix, length, alphabet. One row a format, written from what vendors publish.

An *exact* format is so particular that only its filler (`ghp_xxxx…`) is refused. A *loose* one is a prefix and a minimal
length, so examples and sentences that happen to fit are refused too. In the patterns `\\w` is ASCII: letters, digits, `_`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from reverie.privacy.placeholders import is_drawn, is_empty_web_token, is_example, is_filler

_UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
EXACT = {
    # clouds and hosting
    "aws access key": r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}", "aws bedrock key": r"ABSK[A-Za-z0-9+/]{100,}={0,2}",
    "aws bedrock session": r"bedrock-api-key-[A-Za-z0-9+/]{40,}={0,2}", "aws mws": rf"amzn\.mws\.{_UUID}",
    "google api key": r"AIza[\w-]{35}", "google oauth": r"ya29\.[\w-]{20,}", "google client secret": r"GOCSPX-[\w-]{28}",
    "google refresh token": r"1//0[\w-]{40,}", "azure client secret": r"(?<![.~-])[\w~.]{3}\dQ~[\w~.-]{31,34}(?![.~-])",
    "azure devops": r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}", "alibaba": r"LTAI[A-Za-z0-9]{17,21}", "tencent": r"AKID[A-Za-z0-9]{32}",
    "digitalocean": r"do[opr]_v1_[a-f0-9]{64}", "heroku": r"HRKU-AA[\w-]{58}", "fly.io": r"(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{100,}={0,3})",
    "cloudflare origin": r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}", "databricks": r"dapi[a-f0-9]{32}(?:-\d)?", "pulumi": r"pul-[a-f0-9]{40}",
    "doppler": r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}", "terraform": r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}",
    "vault": r"hv[sbr]\.[\w-]{24,}", "vault old": r"s\.(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])(?=[A-Za-z]*\d)[A-Za-z0-9]{24}",
    "openshift": r"sha256~[\w-]{43}", "netlify": r"nfp_[A-Za-z0-9]{36,40}", "render": r"rnd_[A-Za-z0-9]{28,36}", "supabase": r"sb(?:p_[a-f0-9]{40}|_secret_[\w-]{30,40})",
    "planetscale": r"pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}", "vercel": r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30}", "neon": r"napi_[a-z0-9]{60,70}",
    "tailscale": r"tskey-(?:api-|auth-|client-|scim-|webhook-)?[A-Za-z0-9]{10,}-[A-Za-z0-9]{20,}", "infracost": r"(?<!\.)ico-[A-Za-z0-9]{32}",
    "scaleway": rf"SCW[A-Z0-9]{{17}}(?=\W{{1,40}}{_UUID})", "scalingo": r"tk-us-[\w-]{48}", "yandex": r"(?:AQVN[\w-]{35,38}|t1\.[A-Z0-9a-z_-]+=*\.[\w-]{86}=*)",
    # code hosts and package registries
    "github": r"gh[pousr]_[A-Za-z0-9]{36}", "github fine-grained": r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "gitlab": r"gl(?:pat|dt|ptt|ft|imt|agent|oas|rt|soat|ffct)-[\w-]{20,}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?", "gitlab job": r"glcbt-[A-Za-z0-9]{1,5}_[\w-]{20}",
    "gitlab runner": r"GR1348941[\w-]{20}", "bitbucket": r"ATBB[A-Za-z0-9]{32}", "atlassian": r"AT(?:ATT3|CTT3)[\w=-]{60,}",
    "sourcegraph": r"(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f0-9]{64})", "npm": r"npm_[A-Za-z0-9]{36}", "pypi": r"pypi-AgE[\w-]{50,}",
    "rubygems": r"rubygems_[a-f0-9]{48}", "clojars": r"CLOJARS_[A-Za-z0-9]{60}", "nuget": r"oy2[a-z0-9]{43}", "docker": r"dckr_[po]at_[\w-]{27,32}",
    "artifactory": r"AKCp[A-Za-z0-9]{69}", "artifactory reference": r"cmVmd[A-Za-z0-9]{59}", "packagist": r"packagist_[ou]{2}t_[a-f0-9]{60,70}", "cargo": r"cio[A-Za-z0-9]{32}",
    # chat, mail and telephony
    "slack bot": r"xoxb-\d{10,13}-(?:\d{10,13}-)?[\w-]{18,}", "slack user": r"xox[pe]-(?:\d{10,13}-){1,3}[\w-]{18,}", "slack config": r"xoxe(?:\.xox[bp])?-\d-[A-Za-z0-9]{140,180}",
    "slack workspace": r"xox[arosc](?:-\d{1,2})?-(?:\d{10,13}-){0,3}[A-Fa-f0-9]{8,64}", "slack cookie": r"xoxd-[\w%+/=-]{60,}", "slack app": r"xapp-\d-[A-Z0-9]{9,12}-\d{10,14}-[a-z0-9]{32,70}",
    "slack webhook": r"https?://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/+-]{30,120}", "discord bot": r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}",
    "discord webhook": r"https?://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{17,20}/[\w-]{60,72}", "telegram": r"(?:bot)?\d{6,12}:A[\w-]{34}",
    "teams webhook": r"https://[\w-]+\.webhook\.office\.com/webhookb2/[\w@./-]{60,}", "feishu webhook": rf"https://open\.(?:feishu|larksuite)\.c(?:n|om)/open-apis/bot/v2/hook/{_UUID}",
    "wecom webhook": rf"https://qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key={_UUID}", "sendgrid": r"SG\.[\w-]{16,24}\.[\w-]{39,50}", "sendinblue": r"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
    "mailgun": r"(?:key-[a-f0-9]{32}|pubkey-[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8})", "mailchimp": r"[a-f0-9]{32}-us\d{1,2}", "twilio": r"SK[a-f0-9]{32}",
    "webhook": rf"https?://[\w.-]{{4,80}}/(?:[\w.-]{{1,40}}/){{0,6}}?(?:web)?hooks?/(?:[\w-]{{1,40}}/){{0,3}}?(?:{_UUID}|(?=[A-Za-z]{{0,60}}\d)[A-Za-z0-9]{{20,}})", "bundler": r"BUNDLE_[A-Z0-9_]{4,60}=[\"']?[\w-]{4,}:[\w-]{4,}",
    # payment
    "stripe": r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}", "stripe webhook": r"whsec_[A-Za-z0-9+/]{32,70}={0,2}", "square": r"(?:EAAA[\w-]{60}|sq0(?:atp-[\w-]{22}|csp-[\w-]{43}|idp-[\w-]{22}))",
    "shopify": r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "paypal": r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}", "flutterwave": r"FLWSECK(?:_TEST|_LIVE)?-[a-h0-9A-H]{12,40}(?:-X)?",
    "razorpay": r"rzp_(?:live|test)_[A-Za-z0-9]{14}", "plaid": rf"access-(?:sandbox|development|production)-{_UUID}", "duffel": r"duffel_(?:test|live)_[\w=-]{43}", "easypost": r"EZ[AT]K[A-Za-z0-9]{54}",
    "shippo": r"shippo_(?:live|test)_[a-fA-F0-9]{40}", "facebook app": r"\d{15,16}(?:\||%7[Cc])[\w-]{27,40}", "facebook": r"EAA[MCAB][A-Za-z0-9]{100,}",
    # language models
    "anthropic": r"sk-ant-(?:api03|admin01|oat01)-[\w-]{93}AA", "openai": r"sk-(?:proj-|svcacct-|admin-|None-)?[\w-]{20,80}T3BlbkFJ[\w-]{20,80}", "openrouter": r"sk-or-v1-[a-f0-9]{64}",
    "groq": r"gsk_[A-Za-z0-9]{52}", "xai": r"xai-[A-Za-z0-9]{70,90}", "perplexity": r"pplx-[A-Za-z0-9]{48}", "replicate": r"r8_[\w-]{37}", "cerebras": r"csk-[a-z0-9]{48}",
    "hugging face": r"(?:hf_(?=[A-Za-z]*\d|[a-z]*[A-Z][A-Z])[A-Za-z0-9]{34,40}|api_org_[A-Za-z]{34})", "nvidia": r"nvapi-[\w-]{60,70}", "langsmith": r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
    "pinecone": r"pcsk_[\w-]{60,80}", "tavily": r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}", "firecrawl": r"fc-[a-f0-9]{32}", "elevenlabs": r"sk_[a-f0-9]{48}", "jina": r"jina_[a-f0-9]{32}[\w-]{28}",
    # observability, data and other services
    "new relic": r"NR(?:AK-[A-Z0-9]{27}|JS-[a-f0-9]{19}|I[IQ]-[\w-]{32})", "grafana": r"gl(?:c_[A-Za-z0-9+/]{32,}={0,3}|sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})", "sentry": r"sntry(?:u_[a-f0-9]{64}|s_eyJ[\w+/=-]{60,})",
    "dynatrace": r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "prefect": r"pn[ub]_[A-Za-z0-9]{36}", "posthog": r"phx_[A-Za-z0-9]{43,48}", "launchdarkly": rf"(?:sdk|api)-{_UUID}", "honeycomb": r"hc[abx]ik_[a-z0-9]{58}",
    "notion": r"(?:ntn_\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43})", "linear": r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}", "airtable": r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", "figma": r"fig[dour]_[\w-]{40,48}",
    "postman": r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", "readme": r"rdme_[a-z0-9]{70}", "1password": r"ops_eyJ[A-Za-z0-9+/_-]{200,}={0,3}", "1password key": r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    "age": r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", "typeform": r"tfp_[\w.=-]{59}", "contentful": r"CFPAT-[\w-]{43}", "frame.io": r"fio-u-[\w=-]{64}", "adafruit": r"aio_[A-Za-z0-9]{28}", "dropbox": r"sl\.[\w-]{130,160}",
    "hubspot": rf"pat-[a-z]{{2}}\d-{_UUID}", "harness": r"(?:pat|sat)\.[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}", "intra42": r"s-s4t2(?:ud|af)-[a-f0-9]{64}", "maxmind": r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "beamer": r"b_[a-z0-9=_-]{44}",
    "settlemint": r"sm_(?:aat|pat|sat)_[A-Za-z0-9]{16}", "microsoft graph": r"EwB[\w+/-]{200,}={0,2}", "twitter bearer": r"A{20,22}[\w%]{60,120}", "shopify partner": r"prtapi_[a-f0-9]{32}", "todoist": r"todoist_[a-f0-9]{40}",
    "octopus deploy": r"API-[A-Z0-9]{26}", "sonar": r"sq[apu]_[a-f0-9]{40}", "adobe": r"p8e-[A-Za-z0-9]{32}", "defined": r"dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}", "clickhouse": r"4b1d[A-Za-z0-9]{38}", "endor": r"endr\+[A-Za-z0-9-]{16}",
    "authress": r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}", "lob": r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}",
    # The three parts of a web token; the dashes around it belong to it, so nothing may be tried twice.
    "json web token": r"(?:(?<![\w-])|(?<=\\[nrt]))(?:sk\.)?(?:ey[IJ]|ew[ko])[\w-]{10,}+\.(?:ey[IJ]|ew[ko])[\w-]{8,}+\.[\w-]*(?:\.[\w-]+){0,2}", "json web token, base64": r"ZXlK[A-Za-z0-9+/]{80,}={0,2}", "grafana old": r"eyJrIjoi[A-Za-z0-9+/]{60,}={0,3}",
}  # fmt: skip
LOOSE = {
    "secret key": r"sk-(?:[a-z]{2,8}\d{0,2}-)*[\w-]{20,}", "github short": r"gh[pousr]_[A-Za-z0-9]{30,}", "github pat": r"github_pat_[A-Za-z0-9_]{40,}",
    "slack short": r"xox[abposr]-(?=[\w-]{0,200}[A-Za-z])(?=[\w-]{0,200}\d)[\w-]{20,}", "pypi short": r"pypi-[\w-]{40,}", "hugging face short": r"(?<!_)hf_[A-Za-z0-9]{30,33}",
    "bot": r"(?:bot)?\d{8,10}:(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}[a-z])[\w-]{15,60}",
    "shared signature": r"sig=[A-Za-z0-9%+/]{43,}(?:=|%3[Dd])", "storage key": r"AccountKey=[A-Za-z0-9+/]{86}==", "stripe-like": r"[sr]k_[a-z]{2,8}_[A-Za-z0-9]{24,}",
}  # fmt: skip
# A run of visible characters can only hold a token when it is this long; prose has almost none.
_RUN = r"[!-~]{16,}"


@cache
def _run() -> re.Pattern[str]:
    return re.compile(_RUN)


@cache
def _token() -> re.Pattern[str]:
    # A token may follow an escaped line break (`\nghp_…` inside a JSON string); a mask counts as a letter, so that
    # what stands beside a mask is read the same way before and after masking.
    before = r"(?:(?<![A-Za-z0-9⟧])|(?<=\\[nrt]))"
    exact, loose = "|".join(EXACT.values()), "|".join(LOOSE.values())
    return re.compile(rf"{before}(?:(?P<exact>{exact})|{loose})(?![A-Za-z0-9_⟦])", re.ASCII)


@cache
def _pair() -> re.Pattern[str]:
    """The secret half of an Amazon key has no mark of its own, but it often stands beside the other half."""
    return re.compile(r"[\s,:;/|\"'`]{1,6}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=⟦])")


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where a text holds a token of a known format."""
    for long in _run().finditer(text):
        if long[0].isalpha():
            continue
        for found in _token().finditer(text, long.start(), long.end()):
            value = found[0]
            if (
                is_filler(value)
                or is_empty_web_token(value)
                or not (found["exact"] or (is_drawn(value) and not is_example(value)))
            ):
                continue
            yield found.span()
            if value.startswith(("AKIA", "ASIA")) and (second := _pair().match(text, found.end())):
                yield second.span(1)
