"""The words that concept tags are drawn from and kept out of. Data, not logic.

The glossary names the things a household or a small team runs, in the languages we read. Written for this project: a
word is here because it is common in its language, never because one workspace used it.
"""

from __future__ import annotations

_GLOSSARY = """
backup backups archive cache cluster container cron database dataset deploy deployment dns docker email embedding
embeddings encryption endpoint failover firewall gateway github glacier hostname kubernetes kv latency ldap linux
monitoring network openai oauth ollama postgres proxy rabbitmq redis replica restore retention rollback router s3 schema
server smtp snapshot sqlite ssh storage sync tls token vector vlan vpn webhook wifi
copia respaldo servidor enrutador contraseña cortafuegos
sauvegarde serveur routeur réseau chiffrement
sicherung netzwerk datenbank verschlüsselung
roteador criptografia
сервер маршрутизатор резервная шифрование
备份 服务器 路由器 网络 数据库 加密 网关 同步 缓存 部署
備份 伺服器
バックアップ ルーター サーバー ネットワーク データベース ゲートウェイ
백업 서버 라우터 네트워크 데이터베이스 게이트웨이
"""
GLOSSARY = tuple(sorted(_GLOSSARY.split()))
GLOSSARY_2026_4 = tuple(sorted((*GLOSSARY, "qmd")))

_STOP = """
about after again and are because before but can could did does every for from had has have how into its just move next
note notes our out over per should since than that their then there these this those too was were what when where which
while who will with work would your
al como con cual cuando de del desde donde el ella en entre era esa ese eso esta este esto fue hasta las los más muy para
pero por que sin sobre son sus una uno unas unos
avec aux cela ces cette dans des donc elle est été les leur mais nous par pas plus pour que qui sans ses son sont sur une
vous
aber als auch auf aus bei das dass dem den der des die ein eine einem einen einer für hat ihr ist mit nach nicht noch nur
oder sie sind und uns von war wenn wir wird zum zur
的 了 是 在 和 与 或 我们 你们 他们 这个 那个 一个 没有
の は が を に へ と も から まで する した して いる ある ます です こと もの これ それ
은 는 이 가 을 를 에 의 와 과 도 로
csv html ini jpg js json jsonl log md pdfs png py sh toml ts txt xml yaml yml
"""
STOP_2026_4 = frozenset(_STOP.split())
STOP = STOP_2026_4 | {"the", "you", "user", "assistant"}
