/** The token formats of services, taken from their documentation and from the lists of gitleaks and secretlint. */

/**
 * Kind, alphabet and minimum length, prefixes. The minimum lengths of distinctive prefixes are well below the real ones, since a
 * text may be cut inside a token. Prefixes that also begin ordinary words require nearly the whole length and a mix:
 * `!` a digit and a letter, `!!` a digit and letters of both cases. `<h32`: 32 hex characters before the prefix belong to the token.
 * The letters of the alphabets are those of `ALPHABETS` in redact-tokens.ts.
 */
export const SERVICES: readonly string[] = `
1password:b20 ops_eyJ
1password:v28!! A3-
adobe:a28 p8e-
adyen:b60!! AQE
age-key:u10 AGE-SECRET-KEY-1 AGE-PLUGIN-
airtable:x60! pat
aiven:w12 AVNS_
akamai:w24 akab-
alibaba:a16! LTAI
anthropic:w10 sk-ant-
anyscale:a16 esecret_
apify:a10 apify_api_
artifactory:a40 AKCp
artifactory:a50! cmVmd
asana:c30! 1/1 2/1
atlassian:x10 ATATT3x ATCTT3x ATSTT3x
aws:b10 FwoGZXIvYXdz IQoJb3JpZ2lu
aws:b20 bedrock-api-key-
aws:b40!! ABSK
aws:l24! da2-
aws:u10 AKIA
aws:u10! ASIA ABIA ACCA
aws:g30 amzn.mws.
azure:x28<x3 0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~
azure:b6<b30 JQQJ99 AZDO
baidu:w20 bce-v3/ALTAK-
bitbucket:a20! ATBB
braintree:y20 access_token$
brevo:w10 xkeysib- xsmtpsib-
browserbase:w10 bb_live_ bb_test_
buildkite:a10 bkua_ bkct_ bkpt_ bkagent_
cal:a16 cal_live_ cal_test_
cerebras:a20! csk-
circleci:w10 CCIPAT_ CCIPRJ_
clickhouse:a36! 4b1d
clickup:v24! pk_1 pk_2 pk_3 pk_4 pk_5 pk_6 pk_7 pk_8 pk_9
clojars:a20 CLOJARS_
cloudflare:a20 cfut_ cfat_ cfk_
cloudflare:w40 v1.0-
cockroach:w10 CCDB1_
confluent:b30!! cflt
contentful:w10 CFPAT-
coze:a40!! pat_
crates:a30! cio
crossmint:w12 sk_production_ sk_staging_
databricks:g14 dapi
databricks:g30! dose dkea
deno:a20! ddp_ ddo_ ddw_
dify:a20!! app- dataset-
digitalocean:h10 dop_v1_ doo_v1_ dor_v1_
docker:w10 dckr_pat_ dckr_oat_
doppler:x10 dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
dropbox:w40!! sl. sl.u.
duffel:w10 duffel_test_ duffel_live_
dynatrace:x20 dt0c01. dt0s01. dt0s02. dt0s08. dt0s16.
easypost:a40! EZAK EZTK
elevenlabs:h40! sk_
facebook:a80!! EAA
figma:w10 figd_ figo_ figu_ figor_
firecrawl:h30! fc-
fireworks:a20!! fw_
flutterwave:w12! FLWSECK_TEST- FLWSECK- FLWSECK_LIVE-
fly:b16 fm1_ fm2_ fm1a_ fm1r_ fo1_
frameio:w20 fio-u-
github:a10 ghp_ gho_ ghu_ ghr_
github:x10 ghs_
github:w10 github_pat_
gitlab:x10 glpat- gldt- glrt- glrtr- glptt- glcbt- glimt- glagent- glsoat- glft- glffct- gloas- glwt-
gitlab:w15! GR1348941
google:w12 AIza
google:w10 GOCSPX-
google:x9 ya29.
google:w20 1//0
google:w30!! 4/0A
grafana:b14 glsa_ glc_ eyJrIjoi
groq:a16! gsk_
harness:x50!! pat. sat.
heroku:w10 HRKU-
honeycomb:w20 hcaik_ hcxik_ hcalk_ hcamk_
hubspot:g20 pat-na1- pat-na2- pat-eu1- pat-ap1-
huggingface:a30 hf_ api_org_
huggingface:a12! hf_ api_org_
imagekit:b22!! private_
infracost:a30! ico-
inngest:w16! signkey-
intercom:b30 dG9rO
intra42:h20 s-s4t2ud- s-s4t2af-
jina:w30! jina_
jwt:w10 eyJ
langfuse:g10! sk-lf- pk-lf-
langsmith:w20 lsv2_pt_ lsv2_sk_ lsv2_
launchdarkly:g34! sdk- mob- api-
linear:a10 lin_api_ lin_oauth_ lin_wh_
mailersend:h20 mlsn.
mailchimp:d1<h32 -us
mailgun:h20 key-
mapbox:x40 sk.eyJ tk.eyJ
modal:a20!! ak- as-
mollie:a28!! live_ test_
mongodb:w20 mdb_sa_sk_
n8n:x10 n8n_api_
neon:a30! napi_
netbird:a30! nbp_
netlify:a14! nfp_ nfc_ nfo_ nfu_ nfb_
newrelic:w10 NRAK- NRII- NRJS- NRIK- NRRA- NRBR- NRSP-
nostr:l50 nsec1
notion:a10 ntn_
notion:a20! secret_
npm:a10! npm_
nuget:l40! oy2
nvidia:w20 nvapi-
octopus:u24! API-
okta:w40!! 00
onesignal:l30 os_v2_app_ os_v2_org_
openai:w10 sk-proj- sk-svcacct- sk-admin- sk-None-
openai:a16! sk-
openrouter:w10 sk-or-
openshift:w20 sha256~
paddle:w16 pdl_live_ pdl_sdbx_ pdl_ntfset_
paypal:w50!! A21AA
perplexity:a16! pplx-
pinecone:w20 pcsk_
plaid:g30 access-sandbox- access-production- access-development-
planetscale:x10 pscale_tkn_ pscale_pw_ pscale_oauth_
polar:w10 polar_oat_ polar_pat_
posthog:w20!! phx_ phs_ phc_
postman:g10 PMAK- PMAT-
prefect:a20! pnu_ pnb_
private-key:b10 b3BlbnNzaC1rZXktdjE
private-key:a90!! xprv yprv zprv tprv
pulumi:h20 pul-
pypi:w10 pypi-Ag
razorpay:a10! rzp_live_ rzp_test_
readme:l20! rdme_
render:a20! rnd_
replicate:a16! r8_
resend:w20!! re_
rubygems:h10 rubygems_
runpod:a30! rpa_
sanity:a80!! sk
scalingo:w20! tk-us-
scaleway:u17! SCW
scrapfly:h20 scp-live- scp-test-
sendgrid:x14! SG.
sentry:b10 sntrys_ sntryu_ sntrya_ sntryi_
settlemint:a10! sm_aat_ sm_pat_ sm_sat_
shippo:h10 shippo_live_ shippo_test_
shopify:h10 shpat_ shpca_ shppa_ shpss_ shptka_ shpatf_ shpwh_
slack:w10 xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.xoxb- xoxe.xoxp-
snyk:x20 snyk_uat.
socket:w20 sktsec_
sonar:h20 sqp_ squ_ sqa_
sourcegraph:a20! sgp_ sgd_ slk_
square:w14 sq0atp- sq0csp- sq0idp- sq0acp-
square:w50!! EAAA
stackhawk:x30!! hawk.
stripe:a10 sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_
stripe:b10 whsec_
supabase:w14 sbp_ sb_secret_
tailscale:w10! tskey-
tavily:w16! tvly-
telegram:w20<d8 :AA
tencent:a30!! AKID
terraform:w14<a10 .atlasv1.
together:w20 tgp_v1_
toss:w12! test_sk_ live_sk_ test_gsk_ live_gsk_
trello:h50! ATTA
trigger:a16 tr_prod_ tr_dev_ tr_stg_ tr_pat_
twilio:h24! SK
twitch:l28! oauth:
twitter:z40! AAAAAAAAAAAAAAAAAAAA
typeform:x20! tfp_
unkey:a16 unkey_
vault:w10 hvs. hvb. hvr. hvp.
vercel:a20! vercel_ vcp_ vci_ vca_ vcr_ vck_
volcengine:b30!! AKLT
voyage:w40!! pa-
wandb:w20 wandb_v1_
woocommerce:h38! ck_ cs_
xai:a16! xai-
xata:a20! xau_
yandex:w34! AQVN
yandex:w50!! y0_
yandex:x60!! t1.
zuplo:a20! zpka_
`.split('\n')
