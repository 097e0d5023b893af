"""The protections that are watched: for each what switches it off, in many languages, and how much
that weighs."""

from ....model.finding import Priority
from .._remark import ComparisonRule

TLS = ComparisonRule(
    "tls-check-off",
    Priority.P1,
    "Anyone between the two ends can read and change the traffic. Add the missing certificate to "
    "the trusted ones instead.",
)
MODE = ComparisonRule(
    "world-writable",
    Priority.P2,
    "Every user and program on the machine can change it. Grant only the permissions that are "
    "needed.",
)
PIPE = ComparisonRule(
    "download-executed",
    Priority.P2,
    "Whoever controls that address runs code here. Download a fixed version, compare its checksum, "
    "then run it.",
)
DEBUG = ComparisonRule(
    "debug-on",
    Priority.P2,
    "Error pages then show code, settings and sometimes a console to everyone. Read it from the "
    "environment, off by default.",
)
CORS = ComparisonRule(
    "cors-open",
    Priority.P2,
    "Any web site can then read the responses. Name the origins that need access.",
)
COOKIE = ComparisonRule(
    "security-setting-off",
    Priority.P2,
    "What it protected against may be possible again. Restore it, or give the reason next to it.",
)
PACKAGES = ComparisonRule(
    "package-safety-weakened",
    Priority.P2,
    "Nothing verifies that a package is the one that was published. Keep the check, and add the "
    "missing key or name.",
)
CONTAINER = ComparisonRule(
    COOKIE.name,
    Priority.P2,
    "Whoever takes over the container can then take over its host. Leave it out, or grant the one "
    "capability that is needed.",
)
PATTERNS: tuple[tuple[ComparisonRule, str, str], ...] = (
    (
        TLS,
        "certificates are not verified",
        r"\b(?:verify|verify_ssl|ssl_verify|verify_certs?|validate_certs?|check_hostname"
        r"|ssl_verification|use_ssl_verification)\s*=\s*False\b"
        r"|[\"']?rejectUnauthorized[\"']?\s*[:=]\s*false|InsecureSkipVerify\s*[:=]\s*true"
        r"|NODE_TLS_REJECT_UNAUTHORIZED[\"'\]\s]*[=:]\s*[\"']?0"
        r"|CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|0|FALSE)"
        # Behind it, a sign that gives it a value says that a library makes it
        r"|(?:VERIFY_NONE|\bCERT_NONE)\b(?!\s*=[^=>])|_create_unverified_context"
        r"|\bwithoutVerifying\(\)"
        r"|\bDisabled(?:Trust|ServerTrust)Evaluator\(|\ballHostsMustBeEvaluated:\s*false"
        r"|danger_accept_invalid_(?:certs|hostnames)\(true\)|danger_accept_invalid_certs"
        r"|NoopHostnameVerifier|ALLOW_ALL_HOSTNAME_VERIFIER|TrustAllStrategy|TrustSelfSigned\w*"
        r"|(?:Server|Remote)Certificate(?:Custom)?ValidationCallback\s*\+?=.*(?:true"
        r"|DangerousAcceptAny)"
        r"|\bDangerousAcceptAnyServerCertificateValidator"
        r"|\bssl_?[vV]erify\s*[:=]\s*[\"']?(?:false|off|0|no)\b|http\.sslVerify[\"'\s=,]+false"
        r"|strict-ssl[\"'\s=,]+false|PYTHONHTTPSVERIFY\s*=\s*[\"']?0"
        r"|GIT_SSL_NO_VERIFY\s*[=:]\s*[\"']?(?:1|true)"
        r"|\bcurl\b[^|;&]*\s(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)\b|\bwget\b[^"
        r"|;&]*--no-check-certificate|\bsslmode=disable\b|--trusted-host\b"
        # It takes a value: in front of another option it is only a name
        r"(?![\"']\s*(?:,\s*(?:[\"']-|\w+=)|,?\s*[)\]}]))"
        r"|insecure_skip_verify\s*[:=]\s*true"
        r"|badCertificateCallback\s*=.*true|[\"']verify[\"']\s*=>\s*false"
        r"|\bverify\s*:\s*:?(?:verify_none|false)\b"
        r"|\b(?:setH|h)ostnameVerifier\s*[({]\s*\(?\w*,?\s*\w*\)?\s*->\s*true"
        r"|proxy_ssl_verify\s+off"
        r"|\bTrustServerCertificate\s*=\s*(?:[Tt]rue|[Yy]es)|\bset_verify_mode\([^)]*verify_none"
        r"|\bverify_hostname\s*=>\s*0|\bSSL_verify_mode\s*=>\s*(?:0|SSL_VERIFY_NONE)"
        r"|\binsecureSkipTLSVerify:\s*true|[\"']sslmode[\"']\s*:\s*[\"']disable"
        r"|\.(?:get|post|put|patch|delete|request|ws_connect)\([^)]*\bssl\s*=\s*False"
        r"|\bTCPConnector\([^)]*\bssl\s*=\s*False|\bgrpc\.WithInsecure\(\)"
        r"|\binsecure\.NewCredentials\(\)|\bURLCredential\(trust:.*serverTrust"
        r"|validate_certs:\s*(?:no|false)|verify_mode\s*=\s*OpenSSL::SSL::VERIFY_NONE"
        # https://docs.oracle.com/en/java/javase/21/docs/api/java.net.http/module-summary.html
        r"|disableHostnameVerification[\"']?\s*[,=]\s*[\"']?true"
        r"|\bcheckServerTrusted\([^)]*\)\s*(?::\s*Unit\s*)?(?:throws\s+[\w, ]+)?\{\s*(?://.*)?\}"
        r"|tls_?verify\s*[:=]\s*[\"']?(?:false|0)\b|ssl:\s*\{\s*rejectUnauthorized:\s*false",
    ),
    (
        MODE,
        "everyone may write to this",
        r"\bchmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|ugo\+rwx|o\+w|a\+w|0?666)\b"
        r"|\b(?:install|mkdir)\s[^|;&\n]*-m\s*0?777\b"
        # Beside `&` it is a mask, or is masked
        r"|\bchmod(?:Sync)?\([^)&]*0?o?(?:777|666)\b(?!\s*&)|Chmod\([^)&]*0o?(?:777|666)\b(?=\s*\))"
        # A new file's mode goes through the umask: 0666 is what os.Create asks for as well
        # (https://pkg.go.dev/os#Create)
        r"|(?:WriteFile|OpenFile)\([^)]*0o?777\b(?=\s*\))"
        r"|\b\w*(?:[mM]ode|[pP]erm)\b[\w .]*:?=\s*(?:0o?)?0?777\b"
        r"|\bmode\s*:\s*[\"']?(?:0o?)?0?777\b|\bumask\(0(?:o?0*)?\)"
        # Where it was less before
        r"|\b[mM][kK](?:[dD]ir|DIR)\w*\([^;]*(?:0o?777\b|\bS_IRWXO\b|\bS_IWOTH\b)"
        r"|\bmakedirs\([^;]*0o777\b|\.setWritable\(true,\s*false\)"
        r"|\bEveryone:(?:\([^)]*\))*\(?[FM]\b"
        r"|\bumask\s+0?00\b|from_mode\(0o777\)|setPosixFilePermissions.*rwxrwxrwx",
    ),
    (
        PIPE,
        "a download is run without being verified",
        r"\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+(?:-\w+\s+)*)?"
        # Variables for it, whose values may be quoted or expressions of a workflow
        r"(?:\w+=(?:'[^']*'|\"[^\"]*\"|\$\{\{[^}]*\}\}|[^\s'\"]*)\s+)*(?:/\S*/)?"
        r"(?:ba|z|da|k"
        # What is piped into a program that is named or written there is its input
        r"|fi)?sh\b(?!\s+-c\b|\s+[\w./]+\.sh\b)|\b(?:curl|wget)\b[^|;&\n]*\|\s*(?:sudo\s+)?"
        r"(?:python3?|node|perl|ruby|php)\b(?!\s+-(?:[mcepr]|[a-z]*e)\b|\s+[\w./]+\.\w+\b)"
        r"|\b(?:ba|z)?sh\s+(?:-c\s+[\"']?\$\(|<\(|-c\s+\"`)\s*(?:curl|wget)\b|\b(?:iex"
        r"|Invoke-Expression)\b.*(?:Invoke-WebRequest|iwr|DownloadString|irm|Invoke-RestMethod)"
        r"|(?:iwr|irm|Invoke-WebRequest)\b.*\|\s*iex\b|\beval\s+\"?\$\((?:curl|wget)\b"
        r"|(?:\bsource|(?:^|[\s;&|])\.)\s+<\((?:curl|wget)\b"
        r"|\b(?:python3?|node|perl|ruby|php)\s+-[cer]\s+[\"']?\$\(\s*(?:curl|wget)\b"
        r"|\b(?:curl|wget)\b[^|;&\n]*\s-[oO]\s*(?P<saved>[\w./-]+)[^|;&\n]*(?:&&|;)\s*"
        r"(?:chmod\s+\S+\s+(?P=saved)\s*(?:&&|;)\s*)?(?:sudo\s+)?(?:(?:ba|z|da|k)?sh\s+)?"
        r"(?:\./)?(?P=saved)(?=$|[\s;&|\"'])",
    ),
    (
        DEBUG,
        "a debug mode is switched on",
        r"^\s*(?:export\s+|ENV\s+)?(?:app\.)?(?:DEBUG|FLASK_DEBUG|APP_DEBUG|DJANGO_DEBUG"
        r"|app\.debug|WP_DEBUG|TEMPLATE_DEBUG)\s*=\s*[\"']?(?:True|true|1)\b"
        r"(?!\s+if\b)"
        r"|\.run\([^)]*\bdebug\s*=\s*True|config\.consider_all_requests_local\s*=\s*true"
        r"|^\s*\w+\.config\[[\"']DEBUG[\"']\]\s*=\s*True|app\.debug\s*=\s*(?:true|True)"
        r"|<compilation[^>]*debug=\"true\"|display_errors\s*(?:=|,|\s)\s*[\"']?(?:On|1)\b"
        r"|define\(\s*[\"']WP_DEBUG[\"']\s*,\s*true|\bgin\.SetMode\(gin\.DebugMode\)"
        r"|\bdebug_errors:\s*true|android:debuggable=\"true\""
        r"|\binclude-stacktrace\s*[=:]\s*[\"']?always\b|\bFastAPI\([^)]*debug=True"
        # On where nothing is said
        r"|^\s*(?:APP_|DJANGO_|FLASK_)?DEBUG\s*=.*(?:environ(?:\.get)?|getenv|env(?:\.bool)?"
        r"|config)"
        r"\(\s*[\"']\w*[\"'],\s*(?:default\s*=\s*)?[\"']?(?:1|[Tt]rue|yes|on)\b"
        r"|^\s*(?:FLASK_ENV|RAILS_ENV|NODE_ENV)\s*=\s*[\"']?development",
    ),
    (
        CORS,
        "any origin may read the responses",
        r"Access-Control-Allow-Origin[\"']?\s*(?:\]\s*)?(?:=>|[,:=]|\)\s*=)?\s*[\"'*]*\*"
        r"|\ballow_origins\s*=\s*\[\s*[\"']\*[\"']|CORS_(?:ORIGIN_ALLOW_ALL"
        r"|ALLOW_ALL_ORIGINS)\s*=\s*True|\borigin\s*:\s*(?:[\"']\*[\"']|true\b)"
        r"|AllowAnyOrigin\(\)|@CrossOrigin(?:\(\s*\)|(?![\w(]))|\bCors::permissive\(\)"
        r"|\banyHost\(\)"
        r"|\.enableCors\(\s*\)|\ballow_origin\((?:\w+::)*(?:Any|AllowOrigin::any\(\)|any\(\))\)"
        r"|\bsetAllowedOrigin(?:s|Patterns)\((?:\w+\.)?(?:\w+\()?\"\*\"|AllowAllOrigins\s*:\s*true"
        r"|@CrossOrigin\((?:origins\s*=\s*)?\"\*\"|\.allowedOrigin(?:s|Patterns)\(\"\*\""
        r"|AllowedOrigins\s*:\s*\[\]string\{\"\*\"|\borigins\s*(?:[=:]\s*)?[\"']\*[\"']"
        r"|CorsLayer::(?:permissive|very_permissive)\(\)|Any\s*\(\s*\)\s*//\s*cors"
        r"|\bSetIsOriginAllowed\(\s*\w+\s*=>\s*true|allowed_origins[\"']?\s*(?:=>|="
        r"|:)\s*(?:\[\s*)?[\"']\*[\"']"
        r"|set_header\([\"']Access-Control-Allow-Origin[\"'],\s*[\"']\*",
    ),
    (
        COOKIE,
        "a protection is switched off",
        r"\b(?:SESSION_COOKIE_SECURE|CSRF_COOKIE_SECURE|SESSION_COOKIE_HTTPONLY"
        r"|SECURE_SSL_REDIRECT|SECURE_CONTENT_TYPE_NOSNIFF|WTF_CSRF_ENABLED"
        r"|SECURE_HSTS_INCLUDE_SUBDOMAINS)[\"'\]]*\s*[=:]\s*False"
        r"|^\s*ALLOWED_HOSTS\s*=[^#\n]*\[\s*[\"']\*[\"']|\b(?:httpOnly|http_only|httponly"
        r"|secure)\s*[:=]\s*(?:false|False)\b|csrf\(\)\.disable\(\)"
        r"|\.csrf\((?:AbstractHttpConfigurer::disable|csrf\s*->\s*csrf\.disable\(\))\)"
        r"|^\s*skip_before_action\s+:(?:verify_authenticity_token|authenticate\w*)"
        r"|^\s*(?:skip_auth\w+|allow_unauthenticated_access)\b(?!\s*=)"
        r"|protect_from_forgery\s+.*null_session|@csrf_exempt\b|autoescape\s*=\s*False"
        r"|\bautoescape\s+false|contentSecurityPolicy\s*:\s*false|\bhelmet\(\{[^}]*false"
        r"|config\.force_ssl\s*=\s*false|--privileged\b|webSecurity\s*:\s*false"
        r"|contextIsolation\s*:\s*false|nodeIntegration\s*:\s*true"
        r"|dangerouslyDisable\w+\s*[:=]\s*true|StrictHostKeyChecking[= ]no|AutoAddPolicy\(\)"
        r"|publicly_accessible\s*=\s*true|acl\s*=\s*\"public-read"
        r"|cidr_blocks\s*=\s*\[\s*\"0\.0\.0\.0/0\"",
    ),
    (
        # https://go.dev/ref/mod#environment-variables, https://manpages.debian.org/apt-get
        PACKAGES,
        "packages are not verified",
        r"\bGOSUMDB=[\"']?off\b|\bGONOSUM(?:DB|CHECK)=[\"']?(?:\*|1)|\bGOINSECURE=[\"']?\*"
        r"|\bGOFLAGS=\S*-insecure\b|\bapt(?:-get)?\b[^|;&]*\s(?:--allow-unauthenticated"
        r"|--force-yes)\b"
        r"|\b(?:yum|dnf)\b[^|;&]*--nogpgcheck\b|^\s*gpgcheck\s*=\s*0|\bdeb \[[^\]]*trusted=yes"
        r"|\bzypper\b[^|;&]*--no-gpg-checks?\b|\bapk\b[^|;&]*--allow-untrusted\b",
    ),
    (
        CONTAINER,
        "a container is given extra privileges",
        r"^\s*(?:-\s*)?[\"']?(?:privileged|allowPrivilegeEscalation)[\"']?\s*[:=]\s*true"
        r"|^\s*(?:-\s*)?[\"']?runAsNonRoot[\"']?\s*[:=]\s*false",
    ),
)
