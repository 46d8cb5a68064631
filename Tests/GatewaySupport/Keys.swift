/// Keys that OpenSSL made, in the forms that it writes; only tests use them.
package enum Keys {
  package static let ecWithParameters = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIK6xR28V0iEH3EazIGzuCQIi/6amz+ruxDCkVZkKP4cAoAoGCCqGSM49
    AwEHoUQDQgAEOe33VQkdUx/MvqhRJ/g1hkkpr2Yo1TVnigPcbUZ5VCs3UZLAEUL/
    82SKa2iReBMP61KZwGLnNoQMQWy7Uf/qKQ==
    -----END EC PRIVATE KEY-----
    """
  package static let ecPKCS8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrrFHbxXSIQfcRrMg
    bO4JAiL/pqbP6u7EMKRVmQo/hwChRANCAAQ57fdVCR1TH8y+qFEn+DWGSSmvZijV
    NWeKA9xtRnlUKzdRksARQv/zZIpraJF4Ew/rUpnAYuc2hAxBbLtR/+op
    -----END PRIVATE KEY-----
    """
  package static let ecPublic = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEOe33VQkdUx/MvqhRJ/g1hkkpr2Yo
    1TVnigPcbUZ5VCs3UZLAEUL/82SKa2iReBMP61KZwGLnNoQMQWy7Uf/qKQ==
    -----END PUBLIC KEY-----
    """
  /// The first characters that `openssl pkey -pubin -outform DER | sha256sum` prints.
  package static let ecID = "4fe4931ab85fcea3"
  package static let p384 = """
    -----BEGIN EC PRIVATE KEY-----
    MIGkAgEBBDCYA8rUWt5pbuKTCWRp8/csNP9+uNLHid8Ae5KmTInfvAWHvetX/jda
    x0YnGzBHOhigBwYFK4EEACKhZANiAAQd7tkJaTBnldmMD57VVJQtE1b3/Ndyx28Q
    b5ES6loBDl28EXsqv+7w2MNF07S0LovD/t3EDm1xl9ssnYoHS+bI26C+moP0UTdo
    lRZOsNDjaWqOoyKOK/oKZmc+/Uo9FFk=
    -----END EC PRIVATE KEY-----
    """
  package static let rsaPrivate = """
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCwZBBoWQJXcT3y
    JC1E7btEFRzaW3NncrDXvc8YWPuh21I4CVA6YSqwKsgLYZLVKgMikgAuYMz0SQNh
    ini8KG5l1avEinvDb5X3HFM3AAJ8baC6PoH9Q/jrXLMMMVmn19zD5AlvoUqa7Tnc
    dGLxqYxHH6IJ1UCPdV3t7nNzK+zq25KegJ4lwYzUhvLVly8W/AQLw5BAxvBrlM+J
    4In1PMds17SgjDdcBM9s3TfaaIXz1F0eiBQvZOwDeBG66ie8sRD2aaq7n0cXcCYf
    omdYfEYT38Exz9blpjT8XdRx9BA4E0yPMbXvZPcvbTCqRhkc0z4MfBJuY1bxrdqE
    Gdrt3SGxAgMBAAECggEAH9doaNXMiOlt08S5EUzS9cbT5w0EJ6P6DW/7rvr9Laow
    TOJNg8Rflt6aLwfFoEpNt5Ngif66cMyvWg/LnLe1uhdYwwl2rwB5M1r/IJoVWM3X
    ald3UrdO+3nH7ocIFrbuaMRE+cxFcfMp80RlSheftYUd1KWU2nDG7HkTiTJgOcLt
    SmNj+ocJiMogghWJvz6OVS8//BuEWo1JQXFO0JUTqOwqGup2ZFYPl/I1ukeKiUOu
    5Cmze5oxEMIGSt2FwnkgVZ7U6sXDHyqAzBSLV7mMQKPZbgWRckXjGwa1AwKjGPGh
    /yEG5jVvs1FOBtfN2tnQJuNlzjZ2LI4aKOLPBHC9ywKBgQDowKVU4G01ZFaZfEZ0
    XgemKBIxteKuEsucjdhuFgx471iHotBC9BLvDOyrrMuuvX9RmPa4+DYajIpCG0r2
    VMPD6P9TM6GqMoCLEXvRhUgTX3eIzCg+RAyDIDS2MPSAsePdOfIc0dv15tnuA6Ez
    hnBUxj+V8xEHoioa5F7vH2zrnwKBgQDCAkgqZ5Kji9nO63QGtmUEg+Uw5fAIF9rq
    MmMuia9B3Sfcog8mYrhUQFnZlL/CWHwOhacAwg7gHYD/kSvHXT1hVWeakQgqBnlD
    S+wxshO1JrlBvLKRX/OIGUBj3J9lCMWGMF1A8/snEgt9a1MTVvg95mrzp/I2qdcx
    0u2+C53wrwKBgGlVPb1Sr7m5BgQCHPRu1XFZsxoyITr8II9iFi+D5PMaBmujwDJ8
    uNDcfYMX+TnEYokv+4AsPHf5YFyYc21VYR8ZI+uocyJOJqRJLkrc0YiK7NLI6fF7
    5Fm3SoOlVhGj7+ZfYfWu96eqaLfxhpOF5PJIoeAfl3Zn6jwvW9NF2oorAoGBAJEq
    v/Dq2vCBHpMT3xd+twuv3Xi/NOH5Z5bB6TDTWU4BO2h94rQoPiDcnd6OzQWQzBLZ
    suKAUj0kFngkmgttGxaPnxwq1V8MxQOz9aIhy1lLBmfH2B2rHECEFIgkdyhUbehA
    nCaT6SOM/wfznI/mDY3TscdrrXN1lk3ztGz1qFKFAoGALx/BV90LRlmkWoxqUzWJ
    MybhWbncq8L8EMdxYIO+zY+Tra1uLA70accqYgQQh6zhCi0R6KtcTvXKVYz0MzkO
    1vytm/AIdmeThiZ65doVyYOy1bdCCgVPmDtmsrN0Xl6/sA15wO8vp0eM5dMzbpse
    OLwjXQFtQLXi1fRaqPhuuRQ=
    -----END PRIVATE KEY-----
    """
  /// A certificate of the same key, as Google publishes them for Firebase.
  package static let rsaCertificate = """
    -----BEGIN CERTIFICATE-----
    MIIDBTCCAe2gAwIBAgIUYh29hhLjuMk/k0hHTUlzT7/LOJEwDQYJKoZIhvcNAQEL
    BQAwETEPMA0GA1UEAwwGaXNzdWVyMCAXDTI2MTEyMjIzMzE0MloYDzIxMjYxMDI5
    MjMzMTQyWjARMQ8wDQYDVQQDDAZpc3N1ZXIwggEiMA0GCSqGSIb3DQEBAQUAA4IB
    DwAwggEKAoIBAQCwZBBoWQJXcT3yJC1E7btEFRzaW3NncrDXvc8YWPuh21I4CVA6
    YSqwKsgLYZLVKgMikgAuYMz0SQNhini8KG5l1avEinvDb5X3HFM3AAJ8baC6PoH9
    Q/jrXLMMMVmn19zD5AlvoUqa7TncdGLxqYxHH6IJ1UCPdV3t7nNzK+zq25KegJ4l
    wYzUhvLVly8W/AQLw5BAxvBrlM+J4In1PMds17SgjDdcBM9s3TfaaIXz1F0eiBQv
    ZOwDeBG66ie8sRD2aaq7n0cXcCYfomdYfEYT38Exz9blpjT8XdRx9BA4E0yPMbXv
    ZPcvbTCqRhkc0z4MfBJuY1bxrdqEGdrt3SGxAgMBAAGjUzBRMB0GA1UdDgQWBBQl
    xrj0qFlYC+aRBR7UDeuppDc+vTAfBgNVHSMEGDAWgBQlxrj0qFlYC+aRBR7UDeup
    pDc+vTAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQAzJrk7gmyA
    qdw+9i84JkOjIJj2oyRN8TEyvkwL811PCGHQRzz+zifs3UHKLxjyLl+3U+oHM20/
    Ttiy2GYB2wH8EgOkDg8lbzspR2K2UJSF+eb0WGT7JlT+e+O734r3KZQUTWHYgvrj
    iKcjpDlEPYS89bfYJP8qMtq081SnVyPpxzwYGuYOfToGPAZA+BlVcPAkrEZ4eTCl
    2kze9MPeg2wGggZhyKCtXfLqALWniDFeVkWYtmMLqid7iota3QRUsoQNiR1tEzbY
    DPEXsI+VRpdZMDrj+vbT9lgAir/9zlIg4CV6KtSqaFKwbkTtwNCMDLPQ4F5dSmNh
    z47saBMdjyzG
    -----END CERTIFICATE-----
    """
}
