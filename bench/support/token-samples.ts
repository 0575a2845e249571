/** Texts of our own in several languages and formats, each above 2,000 characters, to try the token estimate on. */

export const ENGLISH = `
When the team came back from the long weekend, the first thing they noticed was that the nightly report had not arrived. Nobody was alarmed at the beginning, because the report had been late before, and the person who usually looked after it was still on holiday. By ten o'clock, however, the people in the warehouse had started to call, and it became clear that the stock levels shown on their screens were two days old. Someone opened the log and found a single line repeated thousands of times, saying that a connection had been refused.

The cause turned out to be simple, and a little embarrassing. On Friday afternoon a certificate had expired, and the machine that renews it had been switched off the week before to save power. It had been doing that job quietly for four years, and everybody who knew about it had moved on to other work. The fix took eleven minutes. The discussion about how to keep it from happening again took most of the week.

Three ideas were put on the table. The first was to write everything down: a page for each machine, with its purpose, its owner, and the date on which somebody last checked that the page was still true. The second was to have fewer machines, since a thing that does not exist cannot be forgotten. The third, and the one that won in the end, was to let every job announce when it expects to run next, and to raise an alarm when that moment passes in silence. It needs no list, and it notices the failures that nobody thought of.

What I remember most is not the solution but the tone of the conversation. Nobody looked for a culprit. The colleague who had switched off the machine told the story herself, laughing, and the manager who had approved it said that he would have done the same. It is easy to say that mistakes are a chance to learn, and rather harder to behave that way on a Tuesday morning with the telephone ringing. That week they managed it, and the new alarm has been boring ever since, which is the best thing one can say about an alarm.

Some months later a visitor asked how they had become so calm about trouble. The answer was that they had not become calm at all. They had only agreed, once and in writing, that the first hour belongs to the people who are waiting, and that every question about reasons may wait until the afternoon.
`

export const KOREAN = `
지난주 금요일 오후에 배포 파이프라인이 갑자기 멈췄다. 처음에는 네트워크 문제라고 생각했지만, 로그를 자세히 살펴보니 인증서가 만료되어 있었다. 인증서를 갱신하던 작은 서버가 전기 요금을 아끼려고 꺼져 있었고, 그 서버가 무슨 일을 하는지 기억하는 사람은 이미 다른 팀으로 옮긴 뒤였다. 고치는 데에는 십 분 남짓 걸렸지만, 같은 일이 다시 일어나지 않게 하려고 일주일 내내 이야기를 나누었다.

회의에서는 세 가지 방법이 나왔다. 첫째는 모든 서버마다 문서를 한 장씩 만들어서 목적과 담당자, 마지막으로 확인한 날짜를 적어 두자는 것이었다. 둘째는 서버의 수를 줄이자는 것이었다. 없는 것은 잊어버릴 수도 없으니까. 셋째는 모든 작업이 다음에 언제 실행될 예정인지 스스로 알리게 하고, 그 시간이 조용히 지나가면 경보를 울리자는 것이었다. 결국 세 번째 방법이 선택되었는데, 목록을 따로 관리할 필요가 없고 아무도 예상하지 못한 고장까지 알아차릴 수 있기 때문이었다.

구현은 생각보다 간단했다. 작업이 끝날 때마다 다음 예정 시각을 파일에 적고, 별도의 작은 프로그램이 일 분마다 그 파일을 읽는다. 예정 시각이 지났는데도 새로운 기록이 없으면 담당자에게 메시지를 보낸다. 처음 일주일 동안은 잘못된 경보가 자주 울렸다. 시간대를 고려하지 않았고, 휴일에는 실행되지 않는 작업도 있었기 때문이다. 그래서 예정 시각에 여유 시간을 더하고, 달력을 함께 읽도록 고쳤다. 그 뒤로는 한 달에 한 번 정도만 울렸고, 울릴 때마다 진짜 문제가 있었다.

사용자 화면도 조금 바꾸었다. 예전에는 오래된 숫자가 아무 표시 없이 그대로 보였기 때문에, 창고에서 일하는 사람들은 이틀 전의 재고를 보면서도 그 사실을 알지 못했다. 이제는 자료가 언제 만들어졌는지 항상 함께 보여 주고, 여섯 시간보다 오래되면 글자 색을 흐리게 바꾼다. 작은 변화였지만 가장 많은 칭찬을 들은 것은 바로 이 부분이었다.

가장 기억에 남는 것은 해결책이 아니라 대화의 분위기였다. 아무도 책임질 사람을 찾지 않았다. 서버를 끈 동료는 웃으면서 자기가 한 일을 직접 설명했고, 승인한 관리자는 자기라도 그렇게 했을 것이라고 말했다. 실수는 배울 기회라고 말하기는 쉽지만, 전화가 계속 울리는 월요일 아침에 정말로 그렇게 행동하기는 어렵다. 그 주에 우리는 그것을 해냈다.

몇 달 뒤에 찾아온 손님이 어떻게 그렇게 침착할 수 있느냐고 물었다. 우리는 침착해진 것이 아니라 약속을 했을 뿐이라고 대답했다. 처음 한 시간은 기다리는 사람들을 위해 쓰고, 이유를 묻는 것은 오후까지 미루어 두자는 약속이다. 그 약속은 지금도 회의실 벽에 붙어 있고, 새로 온 사람은 첫날에 그것을 소리 내어 읽는다. 조금 우스운 의식이지만 아무도 빠뜨리지 않는다.

다음 분기에는 검색 기능을 새로 만들 계획이다. 지금은 제목만 찾을 수 있어서 본문에 있는 내용을 찾으려면 여러 문서를 하나씩 열어 보아야 한다. 색인을 만드는 데 걸리는 시간과 저장 공간을 먼저 측정하고, 결과가 괜찮으면 오래된 문서부터 차례로 옮기기로 했다. 한국어는 조사와 어미가 붙기 때문에 단어를 그대로 비교하면 찾지 못하는 경우가 많다. 그래서 두 글자씩 나누어 색인하는 방법과 형태소를 분석하는 방법을 모두 시험해 보고, 정확도와 속도를 비교한 뒤에 결정할 것이다. 시험에 쓸 질문은 실제 사용자가 지난 석 달 동안 입력한 것에서 골랐고, 정답은 두 사람이 따로 표시한 다음 서로 다른 것만 다시 의논했다.

비용에 대해서도 적어 둔다. 이전에는 매일 밤 모든 파일을 다른 곳에 복사했지만, 이제는 바뀐 것만 복사한다. 걸리는 시간은 사십 분에서 삼 분으로 줄었고 비용도 절반이 되었다. 다만 복사한 것을 정말로 되돌릴 수 있는지 확인하지 않으면 의미가 없다. 그래서 매주 한 번 무작위로 고른 백 개의 파일을 되돌려서 원래 것과 같은지 비교한다. 지금까지 다른 점은 한 번도 발견되지 않았지만, 발견되지 않는다는 사실을 계속 확인하는 것이 중요하다고 생각한다. 담당자가 쉬는 날에도 같은 순서로 진행할 수 있도록 작업 과정을 짧은 안내서로 정리했고, 처음 해 보는 사람에게 실제로 따라 해 보게 했다. 이해하기 어려운 표현이 세 군데 있어서 그 자리에서 고쳤다.
`

export const JAPANESE = `
先週の金曜日の午後、配布の仕組みが突然止まった。最初はネットワークの問題だと思ったが、記録をよく調べてみると、証明書の期限が切れていた。証明書を更新していた小さなサーバーは、電気代を節約するために止められていて、それが何をしているのかを覚えている人は、もう別のチームに移っていた。直すのには十分ほどしかかからなかったが、同じことを二度と起こさないために、一週間ずっと話し合いを続けた。

会議では三つの案が出た。一つ目は、すべてのサーバーについて一枚ずつ文書を作り、目的と担当者と最後に確認した日付を書いておくというものだった。二つ目は、サーバーの数を減らすというものだった。存在しないものは忘れようがないからである。三つ目は、すべての作業が次にいつ実行される予定なのかを自分で知らせ、その時刻が静かに過ぎたら警報を鳴らすというものだった。結局、三つ目の案が選ばれた。一覧を管理する必要がなく、誰も予想しなかった故障にも気づくことができるからだ。

実装は思ったより簡単だった。作業が終わるたびに次の予定時刻をファイルに書き込み、別の小さなプログラムが一分ごとにそのファイルを読む。予定時刻を過ぎても新しい記録がなければ、担当者にメッセージを送る。最初の一週間は誤報が多かった。タイムゾーンを考えていなかったし、休日には動かない作業もあったからだ。そこで予定時刻に余裕を持たせ、カレンダーも一緒に読むように直した。それからは月に一度くらいしか鳴らなくなり、鳴ったときには必ず本当の問題があった。

利用者の画面も少し変えた。以前は古い数字が何の印もなくそのまま表示されていたので、倉庫で働く人たちは二日前の在庫を見ていることに気づかなかった。今はデータがいつ作られたのかを必ず一緒に表示し、六時間より古くなると文字の色を薄くする。小さな変更だったが、一番ほめられたのはこの部分だった。

最も記憶に残っているのは解決策ではなく、会話の雰囲気である。誰も犯人を探さなかった。サーバーを止めた同僚は笑いながら自分で説明し、承認した管理者は自分でもそうしただろうと言った。失敗は学ぶ機会だと言うのはやさしいが、電話が鳴り続ける月曜日の朝に本当にそう振る舞うのは難しい。その週、私たちはそれができた。

数か月後に訪れた客が、どうしてそんなに落ち着いていられるのかと尋ねた。私たちは落ち着いたのではなく、約束をしただけだと答えた。最初の一時間は待っている人たちのために使い、理由を問うのは午後まで待つという約束である。その約束は今も会議室の壁に貼ってあり、新しく来た人は初日にそれを声に出して読む。少しおかしな儀式だが、誰も欠かさない。

次の四半期には検索機能を新しく作る予定だ。今は題名しか探せないので、本文にある内容を見つけるには文書を一つずつ開かなければならない。索引を作る時間と保存に必要な容量をまず測り、結果が良ければ古い文書から順に移すことにした。日本語は単語の間に空白がないため、そのまま比べると見つからないことが多い。そこで二文字ずつ区切って索引する方法と、形態素を解析する方法の両方を試し、正確さと速さを比べてから決めるつもりだ。試験に使う質問は、実際の利用者がこの三か月に入力したものから選び、正解は二人が別々に印をつけて、違ったものだけをもう一度話し合った。

最後に、バックアップについても書いておく。これまでは毎晩すべてのファイルを別の場所に写していたが、変わったものだけを写すように改めた。時間は四十分から三分に短くなり、費用も半分になった。ただし、写した後に本当に読み戻せるかどうかを確かめなければ意味がない。そこで毎週一度、無作為に選んだ百個のファイルを戻して、元のものと一致するかどうかを調べている。今のところ一度も違いは見つかっていないが、見つからないことを確かめ続けるのが大切だと思う。担当者が休みのときにも同じ手順で進められるように、作業の流れを短い手引きにまとめ、実際に初めての人に試してもらった。分かりにくい言葉が三か所見つかり、その場で書き直した。

この文書を書いている間にも、新しい作業が二つ増えた。どちらも予定時刻を知らせる仕組みを最初から使っているので、特別な設定はいらない。仕組みが当たり前になったとき、それを作った苦労は忘れられる。それで良いのだと私は思う。覚えておくべきなのは苦労ではなく、なぜそうしたのかという理由であり、それはこの文書に書いてある。

追記として、権限のことも書いておく。以前は全員が同じ利用者名で管理画面に入っていたので、問題が起きても誰が何をしたのか分からなかった。今は一人ずつ別の利用者名を持ち、危険な操作にはもう一人の確認が必要になった。最初は面倒だという声もあったが、二週間もすると皆が慣れ、一度は本番のデータを誤って消すところを防ぐことができた。操作の記録は半年のあいだ保存し、自分の組の記録は誰でも見ることができる。
`

export const CHINESE = `
上周五下午，发布流程突然停了下来。一开始大家以为是网络的问题，可是仔细查看日志以后才发现，证书已经过期了。原来负责更新证书的那台小服务器，为了节省电费被关掉了，而记得它有什么用处的人早就调到了别的小组。修好它只花了十分钟左右，但是为了不让同样的事情再次发生，我们讨论了整整一个星期。

会议上提出了三个办法。第一个办法是给每台服务器写一页说明，记下它的用途、负责人以及最后一次确认的日期。第二个办法是减少服务器的数量，因为不存在的东西是不会被忘记的。第三个办法是让每个任务自己说明下一次预计在什么时候运行，如果那个时刻悄悄过去而没有任何动静，就发出警报。最后大家选择了第三个办法，因为它不需要维护清单，而且连谁都没有想到的故障也能发现。

实现起来比想象的要简单。每当一个任务结束，就把下一次预计的时间写进文件，另外有一个小程序每分钟读取一次这个文件。如果时间已经过了却没有新的记录，就给负责人发送消息。头一个星期误报很多，因为我们没有考虑时区，而且有些任务在假日是不运行的。于是我们给预计时间加上了一些余量，并且让程序同时读取日历。从那以后，警报大约每个月只响一次，而每次响的时候都确实有问题。

用户界面也做了一点修改。以前旧的数字没有任何标记就直接显示出来，所以在仓库工作的人看着两天前的库存却不知道。现在界面上总是同时显示数据是什么时候生成的，如果超过六个小时，文字的颜色就会变淡。这只是一个很小的改动，得到的称赞却最多。

让我印象最深的不是解决办法，而是谈话的气氛。没有人去追究责任。关掉服务器的同事笑着亲自说明了经过，批准这件事的经理说换了他也会这么做。说错误是学习的机会很容易，可是在电话响个不停的星期一早上真正做到却很难。那个星期我们做到了。

几个月以后，有一位客人问我们为什么能这么冷静。我们回答说，我们并没有变得冷静，只是做了一个约定：第一个小时属于正在等待的人，追问原因可以等到下午。这个约定现在还贴在会议室的墙上，新来的人在第一天都要大声念一遍。这个仪式有点好笑，但是谁也没有漏掉过。

下个季度我们打算重新做搜索功能。现在只能搜索标题，想找正文里的内容就必须把文档一个一个打开。我们决定先测量建立索引所需要的时间和存储空间，如果结果不错，就从旧的文档开始依次迁移。中文的词和词之间没有空格，直接比较往往找不到。因此我们准备同时试验两种方法，一种是每两个字切成一段来建立索引，另一种是先做分词，然后比较准确率和速度再做决定。试验用的问题是从真实用户最近三个月输入的内容里挑选出来的，答案由两个人分别标注，只有不一致的地方才重新讨论。

最后再说一下备份。过去我们每天晚上把所有文件复制到另一个地方，现在改成只复制有变化的文件。时间从四十分钟缩短到三分钟，费用也减少了一半。不过，如果不确认复制出来的内容真的能够恢复，备份就没有意义。所以我们每个星期随机挑选一百个文件，把它们恢复出来，检查是否和原来的一致。到目前为止还没有发现过任何差别，但是不断确认没有差别本身就很重要。为了让负责人休假的时候别人也能按照同样的步骤操作，我们把工作流程整理成了一份简短的手册，并且请第一次接触的人实际试了一遍，当场改正了三处不容易理解的说法。

写这份文档的时候，又增加了两个新的任务。它们从一开始就使用了报告预计时间的机制，所以不需要特别的设置。当一种机制变得理所当然的时候，人们就会忘记建立它时的辛苦。我觉得这样就很好。需要记住的不是辛苦，而是当初为什么要这么做，而这些理由都写在这份文档里了。

补充一点关于权限的说明。原来所有人都使用同一个账号登录管理页面，出了问题也查不清楚是谁做了什么。我们给每个人开了单独的账号，并且把危险的操作改成需要另一个人确认。开始的时候有人嫌麻烦，但是两个星期以后大家就习惯了，而且有一次正好避免了误删正式环境的数据。我们还把所有操作记录保存半年，任何人都可以查看自己所属小组的记录。这样一来，交接工作也变得轻松了许多，因为新来的人可以直接看到以前的人是怎么处理类似情况的。

关于测试，我们也有一些新的经验。以前的测试大多依赖固定的时间和固定的文件，换一台机器就会失败。现在时间、随机数和目录都作为参数传进去，测试在任何机器上都能得到同样的结果。运行一遍全部测试只需要不到一分钟，所以每次提交之前大家都愿意运行。以前需要一刻钟的时候，人们总是找各种理由跳过它。速度并不只是舒服不舒服的问题，它决定了一个好习惯能不能坚持下去。

另外，我们还改了一下值班的方式。以前一个人要连续值班一个星期，到了后半段往往很疲倦，处理问题也变慢了。现在每个人只值两天，交班的时候必须用几句话写清楚还有哪些事情没有做完。读这几句话只要一分钟，却省掉了很多重复的询问。半年下来，夜里被叫醒的次数减少了三分之二，大家都说愿意继续这样做下去。下一步准备把这几句话也收进搜索里，让以后遇到同样问题的人能够找到当时的做法和理由。
`

export const GERMAN = `
Als das Team nach dem langen Wochenende zurückkam, fiel zuerst auf, dass der nächtliche Bericht nicht angekommen war. Anfangs machte sich niemand Sorgen, denn der Bericht war schon öfter verspätet gewesen, und die Kollegin, die sich sonst darum kümmerte, war noch im Urlaub. Gegen zehn Uhr riefen jedoch die Leute aus dem Lager an, und es wurde klar, dass die angezeigten Bestände zwei Tage alt waren. Jemand öffnete das Protokoll und fand eine einzige Zeile, tausendfach wiederholt: Die Verbindung sei abgelehnt worden.

Die Ursache war einfach und ein wenig peinlich. Am Freitagnachmittag war ein Zertifikat abgelaufen, und der Rechner, der es erneuert, war in der Woche davor abgeschaltet worden, um Strom zu sparen. Vier Jahre lang hatte er diese Aufgabe still erledigt, und alle, die davon wussten, arbeiteten inzwischen anderswo. Die Reparatur dauerte elf Minuten. Die Besprechung darüber, wie man so etwas künftig verhindert, dauerte fast die ganze Woche.

Drei Vorschläge lagen auf dem Tisch. Der erste war, alles aufzuschreiben: eine Seite für jeden Rechner, mit Zweck, Verantwortlichen und dem Datum der letzten Überprüfung. Der zweite war, weniger Rechner zu betreiben, denn was nicht existiert, kann man nicht vergessen. Der dritte, der sich schließlich durchsetzte, war, jede Aufgabe selbst ankündigen zu lassen, wann sie das nächste Mal läuft, und Alarm zu schlagen, wenn dieser Zeitpunkt schweigend verstreicht. Dafür braucht man keine Liste, und man bemerkt auch die Ausfälle, an die niemand gedacht hat.

Am meisten ist mir nicht die Lösung in Erinnerung geblieben, sondern der Ton des Gesprächs. Niemand suchte einen Schuldigen. Die Kollegin, die den Rechner abgeschaltet hatte, erzählte die Geschichte lachend selbst, und der Vorgesetzte, der es genehmigt hatte, meinte, er hätte genauso gehandelt. Es ist leicht zu sagen, dass Fehler eine Gelegenheit zum Lernen sind, und deutlich schwerer, sich an einem Dienstagmorgen bei klingelndem Telefon auch so zu verhalten. In jener Woche ist es gelungen, und der neue Alarm ist seither langweilig geblieben, was wohl das Beste ist, was man über einen Alarm sagen kann.
`

export const SHELL = `
$ npm test

> ledger@2.4.0 test
> vitest run --reporter=verbose

 RUN  v3.1.4 /home/ada/ledger

 ✓ test/parse/amount.test.ts > parseAmount > reads a plain number 2ms
 ✓ test/parse/amount.test.ts > parseAmount > reads a number with a comma 1ms
 ✓ test/parse/amount.test.ts > parseAmount > refuses two currencies 1ms
 × test/store/journal.test.ts > appendEntry > keeps the order of equal times 14ms
   → expected [ 'b', 'a' ] to deeply equal [ 'a', 'b' ]

 FAIL  test/store/journal.test.ts > appendEntry > keeps the order of equal times
AssertionError: expected [ 'b', 'a' ] to deeply equal [ 'a', 'b' ]
 ❯ test/store/journal.test.ts:88:31
     86|   await appendEntry(journal, entry('a', '2026-02-03T10:00:00Z'))
     87|   await appendEntry(journal, entry('b', '2026-02-03T10:00:00Z'))
     88|   expect(await names(journal)).toEqual(['a', 'b'])

 Test Files  1 failed | 7 passed (8)
      Tests  1 failed | 63 passed (64)
   Duration  1.92s (transform 412ms, setup 0ms, collect 1.08s, tests 334ms)

$ git status --short
 M src/store/journal.ts
 M test/store/journal.test.ts
?? notes/2026-02-03-order.md
$ git log --oneline -5
4f1c9ab Sort the journal by time
a90d3e7 Read amounts with a comma
77b2c10 Move the parser into its own directory
0c5ef42 Add the currency table
e1d88f6 First version
$ ls -la dist
total 412
drwxr-xr-x  2 ada ada   4096 Feb  3 10:12 .
drwxr-xr-x 11 ada ada   4096 Feb  3 10:12 ..
-rw-r--r--  1 ada ada 183244 Feb  3 10:12 cli.cjs
-rw-r--r--  1 ada ada 211873 Feb  3 10:12 cli.cjs.map
-rw-r--r--  1 ada ada   9120 Feb  3 10:12 index.d.ts
$ curl -sS -o /dev/null -w '%{http_code} %{time_total}\\n' http://localhost:8099/health
200 0.004312
$ du -sh node_modules/* | sort -h | tail -4
4.1M	node_modules/esbuild
9.8M	node_modules/vitest
22M	node_modules/typescript
31M	node_modules/@biomejs
$ grep -rn "compareTimes" src | head
src/store/journal.ts:12:import { compareTimes } from '../core/time.ts'
src/store/journal.ts:61:  entries.sort((a, b) => compareTimes(b.at, a.at))
src/core/time.ts:40:export function compareTimes(a: string, b: string): number {
`

export const MARKDOWN = `
# Journal order

The journal sorted entries of the **same instant** in the wrong order. \`Array.prototype.sort\` is stable, so the order of equal elements is kept, but \`compareTimes(b.at, a.at)\` turned the arguments around and the list was reversed afterwards, which also reverses what was equal.

## What changed

- \`src/store/journal.ts\`: sorts upwards and no longer calls \`reverse()\`.
- \`src/core/time.ts\`: \`compareTimes\` compares the strings themselves; all our times are UTC with milliseconds, so no \`Date\` is made.
- \`test/store/journal.test.ts\`: two entries of one instant, and a property with 200 random lists.

\`\`\`ts
export async function appendEntry(journal: Journal, entry: Entry): Promise<void> {
  const entries = [...(await readEntries(journal)), entry]
  entries.sort((a, b) => compareTimes(a.at, b.at))
  await journal.file.replace(entries.map((one) => JSON.stringify(one)).join('\\n') + '\\n')
}
\`\`\`

## Measured

| entries | before | after |
|--:|--:|--:|
| 1,000 | 4.1 ms | 1.2 ms |
| 10,000 | 58 ms | 14 ms |
| 100,000 | 790 ms | 171 ms |

The time is spent in parsing; a file that is only appended to need not be sorted at all, since the clock of one machine rarely runs backwards. That is a change of the format and belongs into the next release (see #212).

## How to try it

1. \`npm ci && npm run build\`
2. \`node dist/cli.cjs import --from fixtures/bank-2025.csv --dry-run\`
3. Compare with \`fixtures/expected.jsonl\`; the two files must be **equal byte for byte**.

> The import of January fails for files written on Windows: \`\\r\\n\` was counted as part of the amount. Fixed as well, with a test, since the same people will meet it next.

What is left: the export still rounds half cents *up* where the bank rounds to even. I have asked in the channel whether anyone depends on it. Until there is an answer, \`roundAmount\` keeps its behaviour and prints a warning with the row number and the two possible results. The next step is to move that warning into \`doctor\`, so that it is shown once per file and not once per row.
`

export const JSON_LINES = Array.from({ length: 24 }, (_, n) =>
  JSON.stringify({
    ts: new Date(Date.UTC(2026, 1, 3, 10, n, (n * 37) % 60, (n * 211) % 1000)).toISOString(),
    role: n % 3 === 0 ? 'user' : n % 3 === 1 ? 'assistant' : 'tool',
    name: ['Read', 'Bash', 'Edit', 'Grep'][n % 4],
    cmd: ['src/store/journal.ts', 'npm test -- journal', 'test/core/time.test.ts', 'compareTimes'][n % 4],
    ok: n % 5 !== 0,
    output: `exit ${n % 5 === 0 ? 1 : 0}, ${n * 17 + 3} lines, ${(n * 0.37).toFixed(2)} s`,
  }),
).join('\n')
