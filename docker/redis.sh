#!/bin/sh
# Redis with the users of the apps, whose passwords are in the environment. A test holds it against the launcher.
set -eu
umask 077
hash() { printf %s "$1" | sha256sum | cut -d " " -f 1; }
users=${USERS_FILE:-/tmp/users.acl}
cat > "$users" <<END
user default off
user session on #$(hash "$SESSION_PASSWORD") ~parley:* resetchannels -@all +info +ping +evalsha +eval +incr +hget +hmget +hset +hmset +lpush +llen +zadd +zrange +zrevrangebyscore +xadd
user run-executor on #$(hash "$RUN_EXECUTOR_PASSWORD") ~parley:* resetchannels -@all +info +ping +evalsha +eval +incr +hget +hmget +hset +hmset +lpush +llen +zadd +zrange +zrevrangebyscore +xadd +bzpopmin +rpoplpush +lrem +lrange +lset +lindex +exists +del +hincrby +hgetall +zrangebyscore +zpopmin +zrem +zcard +scard +xtrim +client|setname
END
exec redis-server --aclfile "$users" --dir /data --appendonly yes --maxmemory-policy noeviction
