/*!40101 SET NAMES utf8 */;
DROP TABLE IF EXISTS `readings`;
CREATE TABLE `readings` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `room` enum('a','b') COLLATE utf8_bin DEFAULT 'a' COMMENT 'it''s; \'one\'',
  `is_open` tinyint(1) NOT NULL DEFAULT '0',
  `time` datetime(3) NOT NULL,
  PRIMARY KEY (`id`,`time`),
  KEY `by_room` (`room`)
) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8;
INSERT INTO `readings` VALUES (1,'a',0,'2026-01-01 00:00:00.000'),(2,'b\';',1,'2026-01-01 00:00:01.000');
SELECT COUNT(*) FROM readings WHERE time >= '2026-01-01' AND is_open = 1;
