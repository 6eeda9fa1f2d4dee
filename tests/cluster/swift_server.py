#!/usr/bin/python3
"""swift_server.py FOLDER KIND CONF: one of Swift's servers with a swift.conf of its own instead of the one in /etc/swift."""

import sys

from swift.common import storage_policy, utils

folder, kind, conf = sys.argv[1:]
utils.SWIFT_CONF_FILE = storage_policy.SWIFT_CONF_FILE = f"{folder}/swift.conf"
utils.validate_configuration()
storage_policy.reload_storage_policies()

from swift.common.wsgi import run_wsgi  # noqa: E402 (it reads the configuration)

sys.exit(run_wsgi(conf, f"{kind}-server", default_port=0))
