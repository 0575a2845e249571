/** Where the user sets Claude right in Japanese and Chinese. */

/** Where what is right begins; null: it corrects nothing. `lower`: in lower case, quotations and code blanked. */
export function correctedInOtherTongues(lower: string): number | null {
  return /[\u3040-\u30ff]/.test(lower) ? inJapanese(lower) : inChinese(lower)
}

// --- Japanese

/** Something must part it from what follows: 違いを教えて asks for a difference. */
const JA_NO =
  /^(?:(?:あ、)?(?:いや|いえ|いいえ|違う|違います|ちがう|そうじゃなくて|そうではなく|それじゃない|間違ってる|間違っています|だから)(?:よ|って|です)*(?:[、。,.!！…]\s*|\s+))+/
const JA_RIGHT =
  /(?:じゃなくて|ではなく|じゃない|の方|のほう|だよ|だって|です|にして|使って|って言った|べき|直して|戻して|変えて|消して|(?:て|で)(?:ください|ね)?)[。.!！]*$|(?:じゃなくて|ではなく|じゃない)[、,\s]?\S/
const JA_NOT_THAT =
  /^(?:それ|そこ|そっち|これ|ここ|こっち|その\S{1,14}?|この\S{1,14}?)(?:じゃ|では)(?:なくて?|ない)(?!と|か|よね|なら|場合)[、,\s]*(?=\S{2})/
/** A thing by its name, and the one that is wanted. */
const JA_INSTEAD =
  /^[^、。]{1,16}(?:じゃなくて|ではなくて?)、?.{1,24}(?:お願い(?:します)?|にして(?:ください)?|を使って(?:ください)?|だよ|の方(?:です|で)?)[。.!！]*$/
const JA_SAID =
  /(?:って|と)(?:さっき|前に|何度も|もう|ちゃんと)?(?:言った|言いました|伝えた|お願いした|頼んだ)(?:よね|でしょ|でしょう|のに|はず|じゃん|けど|んだけど|んですが)|何(?:度|回)も?言(?:った|えば|わせ)/
const JA_AGAIN =
  /^(?:また|なんでまた).{2,40}(?:忘れて(?:る|います|ます|た)|忘れた|間違えて(?:る|います|た)|間違えた|消した|消して(?:る|います)|壊した|壊れてる|変えた|変えて(?:る|います))(?:よ|ね|じゃん)?[。.!！]*$/
const JA_IDLE = /大丈夫|いいです|結構です|ありがとう|問題ない|気にしないで|そのまま|続けて|なんでもない/

function inJapanese(text: string): number | null {
  if (JA_IDLE.test(text)) return null
  if (JA_SAID.test(text) || JA_AGAIN.test(text)) return 0
  if (/[?？]$|か[。.]?$/.test(text)) return null
  const no = JA_NO.exec(text)?.[0].length
  if (no !== undefined) return no < text.length && JA_RIGHT.test(text.slice(no)) ? no : null
  return JA_NOT_THAT.test(text) || JA_INSTEAD.test(text) ? 0 : null
}

// --- Chinese

const ZH_NO = /^(?:(?:不对|不是|不是的|不不|错了|你错了|搞错了|弄错了|不是这样|不是这个意思)[啊了吧的]*[，,。.!！\s]+)+/
const ZH_RIGHT =
  /^(?:不是|而是|是|应该|要|得|改|用|换|放|去|在|我(?:说|指|要|问|想)的?|请|别|不要|只|先|把|把它|看|删|加|恢复|还原)|^[^，,。]{1,12}(?:应该|要放|要用|得用)/
const ZH_NOT_THAT =
  /^(?:我(?:说|指|要)的)?不是(?:这|那)(?:个|些|里|样|种)?[^，,。]{0,12}[，,]\s*(?:是|而是|改|用|我(?:说|指|要)|应该|要|去|换)/
const ZH_SAID =
  /^(?:我(?:已经|都|不是|明明|刚才|早就)?(?:说|讲|告诉你|跟你说)(?:过|了)(?!吗)|我(?:说|指|要)的是|说了(?:多少|几|好几)[次遍])/
const ZH_AGAIN = /^你?(?:怎么)?又(?:忘|漏|改错|删|弄错|搞错|写错|用错|把)/
const ZH_IDLE = /没事|不用了|没关系|算了|谢谢|可以了|好的|继续/

function inChinese(text: string): number | null {
  if (ZH_IDLE.test(text)) return null
  if (ZH_AGAIN.test(text)) return 0
  if (/[?？]$|[吗呢][。.]?$/.test(text)) return null
  if (ZH_SAID.test(text) || ZH_NOT_THAT.test(text)) return 0
  const no = ZH_NO.exec(text)?.[0].length
  return no !== undefined && no < text.length && ZH_RIGHT.test(text.slice(no)) ? no : null
}
